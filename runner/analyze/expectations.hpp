#pragma once

#include <vector>

#include "sthd/report.hpp"

namespace sthd::analyze {

/// How the rows do against the report's expectations, in their and the plan's order; what the
/// report holds of judgements is not looked at. An expectation whose `only_if` does not hold says
/// nothing; where it is unknown whether it holds, or the row has no such figure, the verdict is
/// unknown. A mixed row is judged by both directions together.
std::vector<Judgement> judgements_of(const Report& report);

/// How many times better a figure is than the maker says; 1 = as he says. Precondition: it has
/// both.
double times_better(const Judgement& judgement);

}  // namespace sthd::analyze
