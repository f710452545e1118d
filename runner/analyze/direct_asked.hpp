#pragma once

#include <string_view>

#include "sthd/report.hpp"

// What direct_ignored and direct_refused have in common.
namespace sthd::analyze {

/// O_DIRECT was wanted where it can be had, and the row was buffered.
inline bool lost_direct(const ResultRecord& record) {
  return record.job.workload.direct == DirectMode::auto_ &&
         record.resolution.direct_effective == false && !record.resolution.direct_reason.empty();
}

/// The system call said no (its errno stands in the reason), or the blocks do not fit; otherwise
/// the flag is accepted and means nothing.
inline bool was_refused(std::string_view reason) {
  return reason.find("(E") != reason.npos || reason.find("no multiple") != reason.npos;
}

}  // namespace sthd::analyze
