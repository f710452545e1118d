#pragma once

#include <vector>

#include "runner/profile/profile.hpp"
#include "runner/profile/tree.hpp"

namespace sthd::profile {

struct Profile::State {
  Value root;  ///< the file and its parents, merged
  ProfileInfo info;
  std::vector<Column> columns;
};

}  // namespace sthd::profile
