#include <fmt/format.h>

#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

constexpr double kReached = 0.7;          // less of the asked depth is a collapse
constexpr std::uint64_t kFewRounds = 10;  // fills of the whole queue below which a run is too short

/// Buffered writes without sync are flushed each time `size` bytes were written: otherwise they
/// would measure RAM. Known by the flushes it took.
bool was_flushed(const ResultRecord& record) {
  const Workload& workload = record.job.workload;
  if (workload.op != Op::write || workload.sync != SyncMode::none) return false;
  if (record.resolution.direct_effective != false) return false;
  for (const LoopResult& loop : record.loops) {
    if (loop.write && loop.write->sync && loop.write->sync->count() > 0) return true;
  }
  return false;
}

std::string submission_remedy(const ResultRecord& record) {
  const Resolution& how = record.resolution;
  const std::string_view psync = "--engine psync, which serves the depth with threads.";
  if (record.job.workload.direct == DirectMode::off) {
    return fmt::format("{} submits buffered I/O one at a time: use --direct, or {}", how.engine,
                       psync);
  }
  return fmt::format("{} submits I/O one at a time where O_DIRECT is not real: use {}", how.engine,
                     psync);
}

std::string flush_remedy(const ResultRecord& record) {
  const Resolution& how = record.resolution;
  if (record.job.workload.direct == DirectMode::off) {
    return "The rate includes these flushes, without which it would be RAM's: use --direct for a "
           "depth that is held.";
  }
  return fmt::format(
      "The rate includes these flushes, without which it would be RAM's; O_DIRECT, with which the "
      "depth would be held, does not help here{}.",
      how.direct_reason.empty() ? "" : " (" + how.direct_reason + ")");
}

std::string remedy(const ResultRecord& record, const OpResult& result, double asked) {
  const Resolution& how = record.resolution;
  const Workload& workload = record.job.workload;
  if (static_cast<double>(result.ios) < asked * kFewRounds) {
    return "The run was too short to fill the queue: raise ios or bytes, or let it run longer "
           "(--runtime).";
  }
  const bool in_submission = how.engine == "libaio" || served_in_submission(record, workload.op);
  if (in_submission && how.direct_effective != true && !how.engine.empty()) {
    return submission_remedy(record);
  }
  if (was_flushed(record)) return flush_remedy(record);
  if (how.queue_depth_effective != 0 && how.queue_depth_effective < workload.queue_depth) {
    return fmt::format(
        "{} had at most {} I/O in flight per thread here: use another engine (--engine), or more "
        "threads instead of depth.",
        how.engine.empty() ? "The engine" : how.engine, how.queue_depth_effective);
  }
  return "Look at the CPU during the test (--verbose): when it is busy, or the device answers "
         "faster than I/O is submitted, fewer threads and less depth give the same figure.";
}

std::string text(const ResultRecord& record, double reached, double asked) {
  const std::string head =
      fmt::format("On average {:.1f} of {:.0f} I/Os were in flight", reached, asked);
  if (!was_flushed(record)) return head + ", so this is a figure for that depth.";
  return fmt::format(
      "{}: buffered writes are flushed (fdatasync) after every {}, and the other "
      "writers wait meanwhile.",
      head, human_size(record.job.workload.size));
}

std::optional<Finding> judge(const ResultRecord& record) {
  const Workload& workload = record.job.workload;
  const double asked = static_cast<double>(workload.queue_depth) * workload.threads;
  if (asked <= 1) return std::nullopt;  // one I/O at a time: the rest is the caller's own time
  if (workload.rate_iops > 0) return std::nullopt;  // an open loop has no depth to hold
  const auto result = merged(record, workload.op);
  const auto reached = depth_reached(record, workload.op);
  if (!result || !reached || *reached >= kReached * asked) return std::nullopt;
  Finding finding{
      .code = "depth-collapsed",
      .severity = Severity::suspect,
      .job = record.job.id,
      .op = workload.op == Op::mixed ? std::nullopt : std::optional(workload.op),
      .evidence = {{"depth_reached", *reached},
                   {"depth_asked", asked},
                   {"ios", static_cast<double>(result->ios)},
                   {"mean_latency_ns", result->lat.mean_ns().value_or(0)}},
      .mark = fmt::format("reached depth {:.1f} of {:.0f}", *reached, asked),
      .text = text(record, *reached, asked),
      .remedy = remedy(record, *result, asked),
  };
  const auto submission = result->slat ? result->slat->mean_ns() : std::nullopt;
  if (submission) finding.evidence.push_back({"mean_submission_ns", *submission});
  return finding;
}

}  // namespace

namespace rules {

/// Fewer I/Os were in flight than the row's label says: depth_reached() against Q × T.
std::vector<Finding> depth_collapsed(const Report& report) { return each_measured(report, judge); }

Check depth_collapsed_check() { return {"depth-collapsed", {Need::latencies}}; }

}  // namespace rules

}  // namespace sthd::analyze
