#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/remedies.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

constexpr double kPassed = 0.5;  // of the job's bytes went around the log device

std::string why(const Report& report, const ResultRecord& record) {
  const bool direct =
      record.job.workload.direct != DirectMode::off && record.resolution.direct_effective != false;
  if (word(report, "zfs.logbias") == "throughput") return " (logbias=throughput)";
  return direct ? " (O_DIRECT writes go in place on OpenZFS 2.3 and later)" : "";
}

std::string remedy(const Report& report, const ResultRecord& record) {
  const std::string dataset(word(report, "zfs.dataset"));
  if (word(report, "zfs.logbias") == "throughput") {
    return fmt::format("`zfs set logbias=latency {}`. {}",
                       dataset.empty() ? "DATASET" : display(dataset), pool_watch(report));
  }
  if (record.job.workload.direct != DirectMode::off) {
    return "For the log device use --buffered, as slog does. " + pool_watch(report);
  }
  return pool_watch(report);
}

}  // namespace

namespace rules {

/// The pool has a log device, and the data of the sync writes went to the data disks.
std::vector<Finding> slog_bypassed(const Report& report) {
  if (has_log(report) != true) return {};
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto zil = zil_of(record);
    const auto bytes = job_bytes(record, Op::write);
    if (!zil || !bytes || *bytes < kFewBytes || !writes_durably(report, record)) {
      return std::nullopt;
    }
    const double around = zil->pool + zil->indirect;
    if (around < kPassed * *bytes || around <= zil->log) return std::nullopt;
    return Finding{
        .code = "slog-bypassed",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = Op::write,
        .evidence = {{"job_write_bytes", *bytes},
                     {"zil_slog_bytes", zil->log},
                     {"zil_normal_bytes", zil->pool},
                     {"zil_indirect_bytes", zil->indirect}},
        .mark = "log device bypassed",
        .text = fmt::format("The log device was bypassed: the data of these sync writes went to "
                            "the data disks{}, so this is the pool's figure.",
                            why(report, record)),
        .remedy = remedy(report, record),
    };
  });
}

Check slog_bypassed_check() { return {"slog-bypassed", {Need::intent_log}}; }

}  // namespace rules

}  // namespace sthd::analyze
