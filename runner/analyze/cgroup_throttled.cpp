#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

constexpr double kThrottled = 0.01;  // of the window: a period of 100 ms in ten seconds

}  // namespace

namespace rules {

/// The cgroup's CPU quota stopped the job.
std::vector<Finding> cgroup_throttled(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto throttled = counter_total(record, "cgroup.throttled_ns");
    const double window_ns = window_s(record) * 1e9;
    if (!throttled || window_ns <= 0 || *throttled < kThrottled * window_ns) return std::nullopt;
    const auto quota = number(report, "cgroup.cpu_quota_cores");
    return Finding{
        .code = "cgroup-throttled",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"throttled_ns", *throttled}, {"window_ns", window_ns}},
        .mark = "CPU quota",
        .text = fmt::format("The cgroup's CPU quota{} stopped the job's group for {} of {}.",
                            quota ? fmt::format(" of {:.2g} cores", *quota) : "",
                            human_duration(static_cast<std::uint64_t>(*throttled)),
                            human_duration(static_cast<std::uint64_t>(window_ns))),
        .remedy = "Raise cpu.max of the cgroup (a container's CPU limit) for the test.",
    };
  });
}

Check cgroup_throttled_check() { return {"cgroup-throttled", {Need::cgroup}}; }

}  // namespace rules

}  // namespace sthd::analyze
