#include "runner/plan/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/remove_if.hpp>

#include "runner/plan/turns.hpp"
#include "sthd/text.hpp"

namespace sthd::plan {

namespace views = ranges::views;

namespace {

bool wants_full(const Job& job) { return job.workload.layout == Layout::full; }

std::uint64_t whole_mib(std::uint64_t bytes) { return (bytes + kMiB - 1) / kMiB * kMiB; }

/// Most bytes that a job which begins with an empty file writes into it.
std::uint64_t growth(const Workload& w) {
  std::uint64_t written = 0;
  const bool limited = limit_in_ios(w) > 0 && w.ramp_ns == 0;
  if (!limited || __builtin_mul_overflow(limit_in_ios(w), w.block_size, &written)) return w.size;
  return std::min(w.size, written);
}

/// How often it is measured in all.
std::uint64_t times(const Workload& w) { return std::uint64_t{w.loops} * w.repeat; }

/// Adds what the limited writes of `job` come to; false when that is more than fits.
bool add_written(const Workload& w, std::uint64_t& written) {
  std::uint64_t part = 0;
  return w.op == Op::read || !(__builtin_mul_overflow(limit_in_ios(w), w.block_size, &part) ||
                               __builtin_mul_overflow(part, times(w), &part) ||
                               __builtin_add_overflow(written, part, &written));
}

}  // namespace

std::uint64_t layout_size(const std::vector<Job>& jobs) {
  std::uint64_t largest = 0;
  for (const Job& job : jobs | views::filter(wants_full)) {
    largest = std::max(largest, whole_mib(job.workload.size));
  }
  return largest;
}

std::size_t layouts(const std::vector<Job>& jobs) {
  std::size_t count = 0;
  bool full = false;
  for (const Turn& turn : turns(jobs, std::vector<bool>(jobs.size(), true))) {
    if (wants_full(jobs[turn.job]) && !full) ++count;
    full = wants_full(jobs[turn.job]);
  }
  return count;
}

std::uint64_t test_file_size(const std::vector<Job>& jobs) {
  std::uint64_t largest = layout_size(jobs);
  for (const Job& job : jobs | views::remove_if(wants_full)) {
    largest = std::max(largest, whole_mib(growth(job.workload)));
  }
  return largest;
}

PlanInfo cost(std::vector<Job> jobs) {
  PlanInfo plan;
  plan.space_bytes = test_file_size(jobs);
  double seconds = 0;
  bool timed = true;
  std::uint64_t written = 0;
  bool known = !__builtin_mul_overflow(layout_size(jobs), layouts(jobs), &written);
  for (const Turn& turn : turns(jobs, std::vector<bool>(jobs.size(), true))) {
    seconds += static_cast<double>(turn.pause_ns) / 1e9;
  }
  for (const Job& job : jobs) {
    const Workload& w = job.workload;
    if (w.runtime_ns == 0) timed = false;
    seconds += static_cast<double>(times(w)) * static_cast<double>(w.ramp_ns + w.runtime_ns) / 1e9;
    const bool limited = w.runtime_ns == 0 && w.ramp_ns == 0;
    const bool bounded = w.op == Op::read || (w.op == Op::write && limited);  // mixed: by chance
    known = known && bounded && add_written(w, written);
  }
  if (timed && !jobs.empty()) plan.estimated_seconds = seconds;
  if (known) plan.written_bytes = written;
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
