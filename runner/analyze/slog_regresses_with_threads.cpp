#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kLess = 0.9;  // of the best with fewer threads: beyond the spread of a run

/// The same job but for its threads.
bool comparable(const Job& a, const Job& b) {
  return a.template_id == b.template_id && a.checks.empty() && b.checks.empty() &&
         a.workload.op == b.workload.op && a.workload.block_size == b.workload.block_size &&
         a.workload.sync == b.workload.sync && a.workload.queue_depth == b.workload.queue_depth &&
         a.workload.pattern == b.workload.pattern && a.workload.buffer == b.workload.buffer &&
         a.workload.direct == b.workload.direct && a.workload.cache == b.workload.cache;
}

}  // namespace

namespace rules {

/// More threads commit less than fewer do.
std::vector<Finding> slog_regresses_with_threads(const Report& report) {
  if (!on_zfs(report)) return {};
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto iops = metric(record, Op::write, "iops");
    if (!iops || !writes_durably(report, record)) return std::nullopt;
    const ResultRecord* best = nullptr;
    double most = 0;
    for (const ResultRecord& other : report.records) {
      if (!comparable(other.job, record.job)) continue;
      if (other.job.workload.threads >= record.job.workload.threads) continue;
      const auto theirs = metric(other, Op::write, "iops");
      if (!theirs || theirs->value <= most) continue;
      most = theirs->value;
      best = &other;
    }
    if (best == nullptr || iops->value >= kLess * most) return std::nullopt;
    return Finding{
        .code = "slog-regresses-with-threads",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = Op::write,
        .evidence = {{"iops", iops->value},
                     {"iops_with_fewer", most},
                     {"threads", static_cast<double>(record.job.workload.threads)},
                     {"fewer_threads", static_cast<double>(best->job.workload.threads)}},
        .mark = "slower with more threads",
        .text =
            fmt::format("{} threads commit {:.0f} times a second, {} commit {:.0f} times: the "
                        "log thrashes instead of batching.",
                        record.job.workload.threads, iops->value, best->job.workload.threads, most),
        .remedy =
            "Look at the CPU first (governor, idle states, the firmware's power profile), "
            "then at the log device's queue (`zpool iostat -vq`).",
    };
  });
}

Check slog_regresses_with_threads_check() { return {"slog-regresses-with-threads", {Need::pool}}; }

}  // namespace rules

}  // namespace sthd::analyze
