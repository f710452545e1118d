#pragma once

#include <vector>

#include "runner/compare/match.hpp"

namespace sthd::compare {

/// What is not the same on all sides beside the figures: the program, the machine, the target, and
/// how the rows were run. A value that only some sides know is no difference.
std::vector<Difference> differences(const Input& input, const std::vector<Match>& rows);

}  // namespace sthd::compare
