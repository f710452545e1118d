#pragma once

#include "runner/compare/match.hpp"
#include "sthd/comparison.hpp"

// Records against each other. Pure: no I/O, no clock; the same records give the same intervals.
namespace sthd::compare {

/// Sides, what differs, and every row and column of the first side that another one has, each with
/// its ratio to the first side. Without stages and limits (stages.hpp, limit.hpp).
Comparison compare(const Input& input);

}  // namespace sthd::compare
