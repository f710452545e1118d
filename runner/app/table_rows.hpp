#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::app {

/// How many of the table's rows, from the first, have all their jobs finished. A row is a label;
/// its jobs are those of the plan that have it.
std::size_t complete_rows(const Report& report);

}  // namespace sthd::app
