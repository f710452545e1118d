#pragma once

#include <filesystem>
#include <vector>

#include "runner/profile/diagnostics.hpp"
#include "runner/profile/tree.hpp"

namespace sthd::profile {

inline constexpr std::size_t kMaxParents = 4;

/// The file that `name` means: a path as it is, a bare name in the first folder that has it.
std::variant<std::filesystem::path, Diagnostic> find_profile(const std::string& name,
                                                             const SearchPath& search);

/// The file and its parents, child first, each parsed.
struct Chain {
  std::vector<Value> files;
  Diagnostics faults;  ///< of reading, syntax and extends; `files` holds what could be read
};
Chain read_chain(const std::filesystem::path& path, const SearchPath& search);

/// `child` over `parent`: tables merge by key, scalars and lists replace, [[job]] [[column]]
/// [[expect]] merge by id, `remove = true` deletes. Keys of the parent keep their order, new ones
/// follow. The name, the title and the schema are the child's own.
Value merge(const Value& parent, const Value& child, Diagnostics& faults);

/// Names (without .toml) and paths of all profiles in `search`, by name; the first found wins.
std::vector<std::pair<std::string, std::filesystem::path>> all_profiles(const SearchPath& search);

}  // namespace sthd::profile
