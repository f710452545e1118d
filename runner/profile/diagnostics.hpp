#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/profile/profile.hpp"
#include "runner/profile/tree.hpp"

namespace sthd::profile {

/// Most faults shown of one profile; the rest is counted.
inline constexpr std::size_t kMaxFaults = 50;

Diagnostic fault_at(const Place& place, std::string message, std::string suggestion = {});

/// A fault of a whole file, or (with an empty path) of the command line.
Diagnostic fault_of(std::string path, std::string message, std::string suggestion = {});

/// The text in double quotes, cut to a readable length.
std::string in_quotes(std::string_view text);

/// `"a", "b", "c"`.
std::string list_in_quotes(const std::vector<std::string>& texts);

/// `did you mean "threads"?` for the candidate nearest to `word` (edit distance, or what other
/// tools call it), or "" when none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// Sorted by place within each file (files keep their order), doubles dropped, cut to kMaxFaults.
void tidy(Diagnostics& diagnostics);

}  // namespace sthd::profile
