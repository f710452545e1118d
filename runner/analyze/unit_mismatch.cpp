#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kAgrees = 0.005;  // KiB taken for kB would be off by 2.4 %, MiB for MB by 4.9 %

std::optional<Op> disagreeing(const ResultRecord& record) {
  for (const Op op : {Op::read, Op::write}) {
    const auto result = merged(record, op);
    if (!result || result->ios == 0) continue;
    const double by_ios =
        static_cast<double>(result->ios) * static_cast<double>(record.job.workload.block_size);
    if (std::abs(static_cast<double>(result->bytes) - by_ios) > kAgrees * by_ios) return op;
  }
  return std::nullopt;
}

}  // namespace

namespace rules {

/// MB/s and IOPS × block size disagree: somebody's units are wrong.
std::vector<Finding> unit_mismatch(const Report& report) {
  return each_measured(report, [](const ResultRecord& record) -> std::optional<Finding> {
    const auto op = disagreeing(record);
    if (!op) return std::nullopt;
    const auto result = *merged(record, *op);
    const auto bytes = static_cast<double>(result.bytes);
    const double by_ios =
        static_cast<double>(result.ios) * static_cast<double>(record.job.workload.block_size);
    return Finding{
        .code = "unit-mismatch",
        .severity = Severity::invalidates,
        .job = record.job.id,
        .op = *op,
        .evidence = {{"bytes", bytes}, {"ios_times_block_bytes", by_ios}},
        .mark = "units disagree",
        .text = fmt::format("MB/s and IOPS contradict each other: {:.1f} % of IOPS x block size.",
                            bytes / by_ios * 100),
        .remedy = fmt::format(
            "Report it with the json of this run (-f json:FILE): {} counts "
            "wrongly.",
            record.resolution.backend.empty() ? "the backend" : record.resolution.backend),
    };
  });
}

Check unit_mismatch_check() { return {"unit-mismatch", {}}; }

}  // namespace rules

}  // namespace sthd::analyze
