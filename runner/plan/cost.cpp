#include "runner/plan/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <range/v3/algorithm/max.hpp>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/view/transform.hpp>

#include "sthd/text.hpp"

namespace sthd::plan {

namespace views = ranges::views;

std::uint64_t test_file_size(const std::vector<Job>& jobs) {
  if (jobs.empty()) return 0;
  const std::uint64_t largest =
      ranges::max(jobs | views::transform([](const Job& job) { return job.workload.size; }));
  return (largest + kMiB - 1) / kMiB * kMiB;
}

PlanInfo cost(std::vector<Job> jobs) {
  PlanInfo plan;
  plan.space_bytes = test_file_size(jobs);
  double seconds = 0;
  bool timed = true;
  bool overflow = false;
  std::uint64_t written = *plan.space_bytes;
  for (const Job& job : jobs) {
    const Workload& w = job.workload;
    if (w.runtime_ns == 0) timed = false;
    seconds += static_cast<double>(w.loops) * static_cast<double>(w.ramp_ns + w.runtime_ns) / 1e9;
    std::uint64_t part = 0;
    overflow = overflow ||
               (w.op != Op::read && (__builtin_mul_overflow(limit_in_ios(w), w.block_size, &part) ||
                                     __builtin_mul_overflow(part, std::uint64_t{w.loops}, &part) ||
                                     __builtin_add_overflow(written, part, &written)));
  }
  if (timed && !jobs.empty()) plan.estimated_seconds = seconds;
  const bool bounded = std::all_of(jobs.begin(), jobs.end(), [](const Job& job) {
    return job.workload.op == Op::read ||
           (job.workload.runtime_ns == 0 && job.workload.ramp_ns == 0);
  });
  if (bounded && !overflow) plan.written_bytes = written;
  plan.jobs = std::move(jobs);
  return plan;
}

Outcome<Done> check_space(const Target& target, std::uint64_t needed) {
  if (!target.available_bytes || !target.total_bytes || *target.total_bytes == 0) return Done{};
  const std::uint64_t free = *target.available_bytes;
  const std::uint64_t total = *target.total_bytes;
  const double after =
      1.0 - (static_cast<double>(free) - static_cast<double>(needed)) / static_cast<double>(total);
  if (needed <= free && after <= kFullest) return Done{};
  return Error{
      ErrorCode::refused,
      fmt::format(
          "{} has {} of {} free; a test file of {} would fill it to {:.0f} %, and {:.0f} % is the "
          "limit; use a smaller --size or free some space",
          display(target.path), human_size(free), human_size(total), human_size(needed),
          after * 100, kFullest * 100),
      0};
}

}  // namespace sthd::plan
