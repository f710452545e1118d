#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

// A file overwritten at random once over merges a third of the writes in RAM (1 - 1/e are distinct
// blocks), so less than half on the device is more than that.
constexpr double kMostly = 0.5;

std::string remedy(const ResultRecord& record) {
  if (record.job.workload.direct != DirectMode::off && record.resolution.direct_effective == false)
    return "Count the flush in (end_fsync = true), or write more than RAM can hold.";
  return "Use --direct, or count the flush in (end_fsync = true).";
}

}  // namespace

namespace rules {

/// Writes stayed in RAM: the devices were given far fewer bytes than the job wrote.
std::vector<Finding> cached_writes(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const Workload& workload = record.job.workload;
    if (!writes(record) || workload.sync != SyncMode::none) return std::nullopt;
    if (record.resolution.direct_effective == true || may_vanish(report, record)) {
      return std::nullopt;
    }
    const auto share = device_share(record, Op::write);
    if (!share || *share >= kMostly) return std::nullopt;
    const double percent = (1 - *share) * 100;
    return Finding{
        .code = "cached-writes",
        .severity = Severity::invalidates,
        .job = record.job.id,
        .op = Op::write,
        .evidence = {{"job_write_bytes", *job_bytes(record, Op::write)},
                     {"device_write_bytes", *device_bytes(record, Op::write)}},
        .mark = fmt::format("{:.0f} % stayed in RAM", percent),
        .text = fmt::format(
            "{:.0f} % of the writes had not reached the device when the row ended: the rate is "
            "RAM's.",
            percent),
        .remedy = remedy(record),
    };
  });
}

Check cached_writes_check() { return {"cached-writes", {Need::disk_bytes}}; }

}  // namespace rules

}  // namespace sthd::analyze
