#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/profile/diagnostics.hpp"
#include "runner/profile/keys.hpp"
#include "runner/profile/tree.hpp"

namespace sthd::profile {

/// No profile makes more cases than this, not even with --yes-many.
inline constexpr std::size_t kMostCases = 10'000;

/// What the command line sets, read and checked; values without a place.
using SetValues = std::vector<std::pair<std::string, Value>>;

/// What the command line gives: keys with one value, and axes (arrays). No key is in both.
struct CommandLine {
  SetValues set;
  SetValues axes;
  [[nodiscard]] bool empty() const { return set.empty() && axes.empty(); }
};

/// A key's value in one case, and where it was written.
struct Assigned {
  Setting setting;
  Place place;          ///< line 0: a default or the command line
  bool of_job = false;  ///< named by the job, an axis or the command line, not by [defaults]
};

/// One point of a job's matrix, or one of its [[job.include]].
struct Case {
  const Value* job = nullptr;
  std::string template_id;
  std::vector<std::string> axes;   ///< keys that make up its id, each once
  std::vector<std::string> added;  ///< those from the command line, which a label must name
  std::map<std::string, Assigned, std::less<>> settings;

  /// "rnd4k/op=read,threads=16"
  [[nodiscard]] std::string id() const;
};

/// Whether any of the values that `wanted` lists, or the one that it is, is the case's.
bool matches(const std::string& key, const Value& wanted, const Case& candidate);

/// The cases of one job, axes in the order of the file, then those of the command line; the first
/// is the slowest. Faults when there are too many or none, or when two axes set one key.
std::vector<Case> cases_of(const Value& profile, const Value& job, const CommandLine& given,
                           Diagnostics& faults);

}  // namespace sthd::profile
