#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/remedies.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kMostly = 0.5;  // of the job's bytes

std::string why(const Report& report, const ResultRecord& record) {
  if (word(report, "zfs.logbias") == "throughput") return "the dataset has logbias=throughput";
  if (record.job.workload.direct != DirectMode::off &&
      record.resolution.direct_effective != false) {
    return "likely because they are O_DIRECT";
  }
  return "likely because they are larger than zfs_immediate_write_sz and there is no log device";
}

}  // namespace

namespace rules {

/// The intent log holds pointers, the data was written in place.
std::vector<Finding> log_write_indirect(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto zil = zil_of(record);
    const auto bytes = job_bytes(record, Op::write);
    if (!zil || !bytes || *bytes < kFewBytes || zil->indirect < kMostly * *bytes) {
      return std::nullopt;
    }
    if (!writes_durably(report, record)) return std::nullopt;
    return Finding{
        .code = "log-write-indirect",
        .severity = Severity::note,
        .job = record.job.id,
        .op = Op::write,
        .evidence = {{"zil_indirect_bytes", zil->indirect}, {"job_write_bytes", *bytes}},
        .mark = "indirect log writes",
        .text = fmt::format(
            "The sync writes were indirect: their data went in place to the data disks and only a "
            "pointer to the log, {}.",
            why(report, record)),
        .remedy = "For latency keep logbias=latency and sync writes of 32 KiB or less. " +
                  pool_watch(report),
    };
  });
}

Check log_write_indirect_check() { return {"log-write-indirect", {Need::intent_log}}; }

}  // namespace rules

}  // namespace sthd::analyze
