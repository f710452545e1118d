#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::table {

/// By how much the IOPS of the job that `twin` checks exceed those of `twin`, in percent of the
/// latter: (ours / fio's − 1) × 100. Empty unless both are whole and their rates known.
std::optional<double> ours_vs_fio_percent(const Report& report, const ResultRecord& twin, Op op);

/// A column that a cross-check adds to the table, filled in on the twins' rows.
struct DeltaColumn {
  Op op = Op::read;
  std::string title;  ///< "ours vs fio (%)"; with the direction where there are two
};

/// One for each direction that a twin of the plan has; none without a cross-check.
std::vector<DeltaColumn> delta_columns(const Report& report);

}  // namespace sthd::table
