#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runner/profile/tree.hpp"
#include "sthd/job.hpp"
#include "sthd/outcome.hpp"

// The workload keys: how each is read, compared, named in ids and labels, and put into a Workload.
namespace sthd::profile {

enum class KeyKind { size, time, count, percent, flag, word, names };

/// What kind of value a workload key has. Precondition: it is one.
KeyKind kind_of(std::string_view key);
bool is_workload_key(std::string_view key);

/// A key's value, read: bytes, nanoseconds or a count · a flag · a word · a list of names. Equal
/// meanings compare equal ("4k" and 4096; "sync" and "psync").
using Setting = std::variant<std::uint64_t, bool, std::string, std::vector<std::string>>;

/// The engines that every installation knows, as they may be written; a plugin may bring others.
const std::vector<std::string>& known_engines();

/// `bytes = "size"`: once over the test file; by each thread where all work on the same whole.
inline constexpr std::string_view kWholeSize = "size";

/// Reads a value that the schema has accepted; judges what the schema cannot (overflow, multiples).
Outcome<Setting> read_setting(std::string_view key, const Value& value);

/// As in ids: sizes in plain bytes, times in their largest whole unit, names joined by '+'.
std::string id_text(std::string_view key, const Setting& setting);

/// As in labels: sizes short ("4K"), the rest as in ids.
std::string label_text(std::string_view key, const Setting& setting);

/// Puts a setting into the workload. `bytes = "size"` is left to the caller.
void apply(std::string_view key, const Setting& setting, Workload& workload);

}  // namespace sthd::profile
