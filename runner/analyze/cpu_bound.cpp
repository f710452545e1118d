#include <fmt/format.h>

#include "runner/analyze/own_time.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kBound = 0.95;   // of the threads' time: nothing is left to wait for a device
constexpr double kShort = 1e8;    // ns: below, the accounts of CPU time are too coarse
constexpr double kRunning = 0.5;  // of it must have been spent running: else a neighbour's fault

}  // namespace

namespace rules {

/// The job's threads never waited for I/O: the figure is the CPU's.
std::vector<Finding> cpu_bound(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto own = own_time(report, record);
    if (!own || own->threads_ns < kShort || record.job.workload.poll)
      return std::nullopt;  // polling burns the CPU anyway
    // More threads than cores wait for each other, and for the device at the same time.
    const bool alone = workers_of(record) <= cores_of(report).value_or(0);
    const double ready = own->cpu_ns + (alone ? own->wait_ns.value_or(0) : 0);
    if (ready < kBound * own->threads_ns || own->cpu_ns < kRunning * own->threads_ns) {
      return std::nullopt;
    }
    const double percent = std::min(100.0, own->cpu_ns / own->threads_ns * 100);
    return Finding{
        .code = "cpu-bound",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"cpu_ns", own->cpu_ns}, {"threads_ns", own->threads_ns}},
        .mark = "CPU-bound",
        .text = fmt::format(
            "The threads spent {:.0f} % of their time computing and none waiting for a device: the "
            "figure is the CPU's.",
            percent),
        .remedy =
            "Read it as the most that this machine can ask for; more threads, larger blocks "
            "or --direct show the device.",
    };
  });
}

Check cpu_bound_check() { return {"cpu-bound", {Need::cpu_time}}; }

}  // namespace rules

}  // namespace sthd::analyze
