#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

constexpr double kWaiting = 0.9;  // of the window spent inside of the writes
constexpr double kFast = 100e6;   // bytes a second: nobody asks why such a rate is low

}  // namespace

namespace rules {

/// Durable writes one after the other: the rate is block ÷ latency, whatever the device can stream.
std::vector<Finding> latency_bound(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const Workload& workload = record.job.workload;
    const auto rate = metric(record, Op::write, "bw");
    const auto iops = metric(record, Op::write, "iops");
    const auto mean = application_mean_ns(record, Op::write);
    if (workload.op != Op::write || !writes_durably(report, record)) return std::nullopt;
    const auto depth = depth_reached(record, Op::write);
    if (!rate || !iops || !mean || !depth || rate->value >= kFast) return std::nullopt;
    constexpr double kAlone = 1.5;  // I/Os in flight: a depth that is a label alone waits too
    if (*depth > kAlone || iops->value * *mean / 1e9 < kWaiting) return std::nullopt;
    return Finding{
        .code = "latency-bound",
        .severity = Severity::note,
        .job = record.job.id,
        .op = Op::write,
        .evidence = {{"mean_latency_ns", *mean}, {"bytes_per_second", rate->value}},
        .text = fmt::format(
            "Each write waits for its commit: {:.2f} MB/s = {} ÷ {:.0f} us, whatever the device "
            "can stream.",
            rate->value / kMB, human_size(workload.block_size), *mean / 1e3),
        .remedy = "Look at the latency, not at the rate; more threads or larger blocks raise it.",
    };
  });
}

Check latency_bound_check() { return {"latency-bound", {Need::latencies}}; }

}  // namespace rules

}  // namespace sthd::analyze
