#pragma once

#include <vector>

#include "runner/profile/extends.hpp"
#include "runner/profile/profile.hpp"
#include "runner/profile/tree.hpp"

namespace sthd::profile {

struct Profile::State {
  Value root;  ///< the file and its parents, merged
  ProfileInfo info;
  std::vector<Column> columns;
  std::vector<Expectation> expectations;  ///< one an [[expect]] of `root`; their jobs are unknown
};

/// Validates the files of a chain, merges them, and judges the whole.
Checked<Profile> assemble(Chain chain);

}  // namespace sthd::profile
