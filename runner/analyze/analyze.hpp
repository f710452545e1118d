#pragma once

#include <vector>

#include "sthd/report.hpp"

namespace sthd::analyze {

/// What every rule says about a report, the worst first, then in the order of the records. Pure: no
/// I/O, no clock; report.findings is not looked at.
std::vector<Finding> analyze(const Report& report);

}  // namespace sthd::analyze
