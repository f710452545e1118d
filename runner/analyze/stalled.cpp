#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kSuspended = 1e8;  // ns: clocks read one after the other differ by less
constexpr double kStopped = 5e8;    // ns: five of the watcher's ticks, more than a busy host delays
constexpr double kSilent = 1e9;     // ns without one I/O in a series of many

/// The longest time in which no I/O ended, where the series has many.
std::optional<double> silence_ns(const ResultRecord& record) {
  double longest = 0;
  for (const LoopResult& loop : record.loops) {
    const auto& part = loop.read ? loop.read : loop.write;
    if (!part || part->samples.size() < 10 || loop.end_fsync_ns) continue;
    double since = 0;
    for (const Sample& sample : part->samples) {
      if (sample.ios > 0) since = static_cast<double>(sample.at_ns);
      longest = std::max(longest, static_cast<double>(sample.at_ns) - since);
    }
  }
  return longest;
}

}  // namespace

namespace rules {

/// The clock went on and the job did not.
std::vector<Finding> stalled(const Report& report) {
  return each_measured(report, [](const ResultRecord& record) -> std::optional<Finding> {
    const auto suspended = counter_total(record, "wall.suspended_ns");
    const auto stopped = counter_total(record, "wall.stopped_ns");
    const auto silent = silence_ns(record);
    const auto mean = application_mean_ns(record, record.job.workload.op);
    Finding finding{
        .code = "stalled",
        .severity = Severity::invalidates,
        .job = record.job.id,
        .op = direction(record),
        .mark = "stalled",
    };
    const auto time = [](double ns) { return human_duration(static_cast<std::uint64_t>(ns)); };
    if (suspended && *suspended >= kSuspended) {
      finding.evidence = {{"suspended_ns", *suspended}};
      finding.text =
          fmt::format("The machine was suspended for {} within the row.", time(*suspended));
      finding.remedy = "Keep it awake (systemd-inhibit) and run it again.";
    } else if (stopped && *stopped >= kStopped) {
      finding.evidence = {{"stopped_ns", *stopped}};
      finding.text = fmt::format("The job did not run for {} within the row.", time(*stopped));
      finding.remedy =
          "It was stopped (SIGSTOP, a frozen cgroup, a paused virtual machine), or starved of CPU: "
          "run it again.";
    } else if (silent && *silent >= kSilent && mean && *mean < kSilent / 10) {
      finding.severity = Severity::suspect;
      finding.evidence = {{"silent_ns", *silent}, {"mean_latency_ns", *mean}};
      finding.text = fmt::format("No I/O ended for {}, where one takes {} on average.",
                                 time(*silent), time(*mean));
      finding.remedy = "Look at the kernel log (`dmesg`) for resets and timeouts of the device.";
    } else {
      return std::nullopt;
    }
    return finding;
  });
}

Check stalled_check() { return {"stalled", {Need::stops}}; }

}  // namespace rules

}  // namespace sthd::analyze
