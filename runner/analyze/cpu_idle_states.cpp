#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/remedies.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kWeighs = 0.1;   // of the row's mean latency: to wake up once an I/O costs that
constexpr double kShallow = 10;   // us: C1 and a halted virtual CPU wake faster, nobody sleeps less
constexpr double kDeepMuch = 20;  // percent of the time that the cores spent in the deepest state
constexpr double kWaits = 0.5;    // of the I/Os, at least, the job slept for: RAM answers at once

/// The job gave up its core for most of its I/Os; empty where its switches are not known.
std::optional<bool> slept(const ResultRecord& record) {
  const auto result = merged(record, record.job.workload.op);
  CpuUse use{.voluntary_switches = 0, .involuntary_switches = 0};
  for (const LoopResult& loop : record.loops) use += loop.cpu.value_or(CpuUse{});
  if (!result || !use.voluntary_switches) return std::nullopt;
  return static_cast<double>(*use.voluntary_switches) >= kWaits * static_cast<double>(result->ios);
}

}  // namespace

namespace rules {

/// Cores that sleep deeply between two I/Os wake up late: a row of single I/Os pays each time.
std::vector<Finding> cpu_idle_states(const Report& report) {
  const auto exit_us = number(report, "cpu.idle_latency_max_us");
  if (!exit_us || *exit_us < kShallow) return {};
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto mean = application_mean_ns(record, record.job.workload.op);
    if (!mean || !one_at_a_time(record) || *exit_us * 1e3 < kWeighs * *mean) return std::nullopt;
    if (slept(record) == false) return std::nullopt;
    const auto deep = record.loops.empty() ? std::nullopt
                                           : fact_number(record.loops.front().counters,
                                                         "cpu.idle_deep_share_percent");
    if (deep && *deep < kDeepMuch) return std::nullopt;
    Finding finding{
        .code = "cpu-idle-states",
        .severity = Severity::note,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"idle_latency_max_us", *exit_us}, {"mean_latency_ns", *mean}},
        .text = fmt::format(
            "The cores may sleep so deeply that waking takes {:.0f} us, and a single I/O took "
            "{:.0f} us: likely a part of it is waking up.",
            *exit_us, *mean / 1e3),
        .remedy = idle_remedy(report),
    };
    if (deep) finding.evidence.push_back({"idle_deep_share_percent", *deep});
    return finding;
  });
}

Check cpu_idle_states_check() { return {"cpu-idle-states", {Need::idle_states}}; }

}  // namespace rules

}  // namespace sthd::analyze
