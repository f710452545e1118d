#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

// SNIA's performance test specification calls a window of five rounds steady while it stays within
// 20 % of its mean.
constexpr double kSteady = 0.2;
constexpr std::size_t kParts = 8;
constexpr std::size_t kFewSlices = 2 * kParts;
constexpr std::uint64_t kShort = 1800 * kMillisecond;  // below, an eighth is a chance event

struct Change {
  double before, after;  ///< I/Os a second in the halves
  std::size_t loop;
};

/// The halves differ by more than 20 %, and every eighth of one exceeds every eighth of the other:
/// noise alone orders them so once in 35 times.
std::optional<Change> change_of(const OpResult& result, std::size_t loop) {
  if (result.samples.size() < kFewSlices || result.samples.back().at_ns < kShort) {
    return std::nullopt;
  }
  const std::vector<double> rates = rates_of(result, kParts);
  const auto middle = rates.begin() + kParts / 2;
  const auto [low1, high1] = std::minmax_element(rates.begin(), middle);
  const auto [low2, high2] = std::minmax_element(middle, rates.end());
  if (*low1 <= *high2 && *low2 <= *high1) return std::nullopt;
  const double before = mean_of({rates.begin(), middle});
  const double after = mean_of({middle, rates.end()});
  if (std::abs(after - before) <= kSteady * (before + after) / 2) return std::nullopt;
  return Change{before, after, loop};
}

std::optional<Change> first_change(const ResultRecord& record, Op op) {
  for (std::size_t i = 0; i < record.loops.size(); ++i) {
    const auto& part = op == Op::read ? record.loops[i].read : record.loops[i].write;
    const auto change = part ? change_of(*part, i) : std::nullopt;
    if (change) return change;
  }
  return std::nullopt;
}

}  // namespace

namespace rules {

/// The rate rose or fell for good in the course of a loop.
std::vector<Finding> not_steady(const Report& report) {
  return each_measured(report, [](const ResultRecord& record) -> std::optional<Finding> {
    const Op op = reads(record) ? Op::read : Op::write;
    const auto change = first_change(record, op);
    if (!change || record.job.workload.rate_iops > 0) return std::nullopt;
    const bool fell = change->after < change->before;
    return Finding{
        .code = "not-steady",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"first_half_iops", change->before},
                     {"second_half_iops", change->after},
                     {"loop", static_cast<double>(change->loop)}},
        .mark = "not steady",
        .text = fmt::format("The rate {} from {:.0f} to {:.0f} IOPS within the run, so their mean "
                            "is neither.",
                            fell ? "fell" : "rose", change->before, change->after),
        .remedy =
            fell ? "Run longer (--runtime 60s) to see where it settles: a burst cache (SLC, RAID, "
                   "cloud credits) that fills, or a drive that slows down when hot, looks so."
                 : "Give it a lead-in (--ramp 10s), or run longer (--runtime 60s).",
    };
  });
}

Check not_steady_check() { return {"not-steady", {Need::course}}; }

}  // namespace rules

}  // namespace sthd::analyze
