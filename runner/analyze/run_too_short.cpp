#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

// A tenth below a second, the shortest time that any of the usual programs offers
// (CrystalDiskMark's preset for flash drives): a cache, a clock ramp or one flush outweighs less.
constexpr std::uint64_t kShort = 900 * kMillisecond;

}  // namespace

namespace rules {

/// The measured window was too short to mean anything.
std::vector<Finding> run_too_short(const Report& report) {
  return each_measured(report, [](const ResultRecord& record) -> std::optional<Finding> {
    const auto result = merged(record, record.job.workload.op);
    if (record.status != Status::ok || !result || record.loops.empty()) return std::nullopt;
    const std::uint64_t window = result->elapsed_ns / record.loops.size();
    if (window == 0 || window >= kShort) return std::nullopt;
    const bool timed = record.job.workload.runtime_ns > 0;
    return Finding{
        .code = "run-too-short",
        .severity = timed ? Severity::suspect : Severity::note,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"window_ns", static_cast<double>(window)},
                     {"ios", static_cast<double>(result->ios)}},
        .mark = "short run",
        .text = fmt::format("Measured for {} alone: caches and chance outweigh the device.",
                            human_duration(window)),
        .remedy = timed ? "Let it run 5 s or more: --runtime 5s."
                        : "Move more: a larger --size, ios or bytes, or --runtime 5s.",
    };
  });
}

Check run_too_short_check() { return {"run-too-short", {}}; }

}  // namespace rules

}  // namespace sthd::analyze
