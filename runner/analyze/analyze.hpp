#pragma once

#include <span>
#include <vector>

#include "runner/analyze/needs.hpp"
#include "sthd/report.hpp"

namespace sthd::analyze {

/// Every check of a single run, by the names of the rules' files. What only experiments say is not
/// among them.
std::span<const Check> all_checks();

/// What every rule says about a report, the worst first, then in the order of the records. Pure: no
/// I/O, no clock; report.findings and judgements are not looked at.
std::vector<Finding> analyze(const Report& report);

/// Sets report.judgements to how the rows do against the expectations, report.findings to what
/// analyze() says, and each record's verdict: where its I/Os were served and whether its writes
/// were seen to be made durable (by the counters), how far the findings let it be trusted, and
/// where its time went.
void judge(Report& report);

}  // namespace sthd::analyze
