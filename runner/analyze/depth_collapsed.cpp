#include <fmt/format.h>

#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kReached = 0.7;          // less of the asked depth is a collapse
constexpr std::uint64_t kFewRounds = 10;  // fills of the whole queue below which a run is too short

std::string remedy(const ResultRecord& record, const OpResult& result, double asked) {
  const Resolution& how = record.resolution;
  const Workload& workload = record.job.workload;
  if (static_cast<double>(result.ios) < asked * kFewRounds) {
    return "The run was too short to fill the queue: raise ios or bytes, or let it run longer "
           "(--runtime).";
  }
  const bool needs_direct = how.engine == "libaio";
  if (needs_direct && how.direct_effective != true) {
    return workload.direct == DirectMode::off
               ? fmt::format(
                     "{} submits buffered I/O one at a time: use --direct, or --engine psync, "
                     "which serves the depth with threads.",
                     how.engine)
               : fmt::format(
                     "{} submits I/O one at a time where O_DIRECT is not real: use --engine psync, "
                     "which serves the depth with threads.",
                     how.engine);
  }
  if (how.queue_depth_effective != 0 && how.queue_depth_effective < workload.queue_depth) {
    return fmt::format(
        "{} had at most {} I/O in flight per thread here: use another engine (--engine), or more "
        "threads instead of depth.",
        how.engine.empty() ? "The engine" : how.engine, how.queue_depth_effective);
  }
  return "Look at the CPU during the test (--verbose): when it is busy, or the device answers "
         "faster than I/O is submitted, fewer threads and less depth give the same figure.";
}

/// Mean I/Os in flight by Little's law. A thread that waits in fsync is as busy as one that waits
/// in write, and after the last write (end_fsync) nothing more is submitted.
std::optional<double> in_flight(const ResultRecord& record, const OpResult& result) {
  if (result.lat.count() == 0) return std::nullopt;
  std::uint64_t window_ns = result.elapsed_ns;
  for (const LoopResult& loop : record.loops) {
    const std::uint64_t tail = loop.end_fsync_ns.value_or(0);
    window_ns -= tail < window_ns ? tail : window_ns;
  }
  if (window_ns == 0) return std::nullopt;
  double busy_ns = static_cast<double>(result.lat.sum_ns());
  if (result.sync) busy_ns += static_cast<double>(result.sync->sum_ns());
  return busy_ns / static_cast<double>(window_ns);
}

std::optional<Finding> judge(const ResultRecord& record) {
  const Workload& workload = record.job.workload;
  const double asked = static_cast<double>(workload.queue_depth) * workload.threads;
  if (asked <= 1) return std::nullopt;  // one I/O at a time: the rest is the caller's own time
  const auto result = merged(record, workload.op);
  if (!result) return std::nullopt;
  const auto reached = in_flight(record, *result);
  if (!reached || *reached >= kReached * asked) return std::nullopt;
  return Finding{
      .code = "depth-collapsed",
      .severity = Severity::suspect,
      .job = record.job.id,
      .op = workload.op == Op::mixed ? std::nullopt : std::optional(workload.op),
      .evidence = {{"depth_reached", *reached},
                   {"depth_asked", asked},
                   {"ios", static_cast<double>(result->ios)},
                   {"mean_latency_ns", result->lat.mean_ns().value_or(0)}},
      .mark = fmt::format("reached depth {:.1f} of {:.0f}", *reached, asked),
      .text = fmt::format(
          "On average {:.1f} of {:.0f} I/Os were in flight, so this is a figure for that depth.",
          *reached, asked),
      .remedy = remedy(record, *result, asked),
  };
}

}  // namespace

namespace rules {

/// Fewer I/Os were in flight than the row's label says (IOPS × mean latency against Q × T).
std::vector<Finding> depth_collapsed(const Report& report) { return each_measured(report, judge); }

}  // namespace rules

}  // namespace sthd::analyze
