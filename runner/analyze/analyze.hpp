#pragma once

#include <vector>

#include "sthd/report.hpp"

namespace sthd::analyze {

/// What every rule says about a report, the worst first, then in the order of the records. Pure: no
/// I/O, no clock; report.findings is not looked at.
std::vector<Finding> analyze(const Report& report);

/// Sets report.findings to what analyze() says, and each record's verdict: where its I/Os were
/// served and whether its writes were seen to be made durable (by the counters), how far the
/// findings let it be trusted, and where its time went.
void judge(Report& report);

}  // namespace sthd::analyze
