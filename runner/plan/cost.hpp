#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sthd/job.hpp"
#include "sthd/outcome.hpp"
#include "sthd/report.hpp"
#include "sthd/target.hpp"

namespace sthd::plan {

/// A run must not take the target above this share of its size: copy-on-write pools slow down long
/// before they are full, and a full one may refuse even the unlink.
inline constexpr double kFullest = 0.95;

/// Seconds with the pauses between the jobs (empty when a job is bounded by I/Os or bytes), space
/// and bytes to be written (where known in advance).
PlanInfo cost(std::vector<Job> jobs);

/// Bytes that the test file is laid out to, in whole MiB: the largest `size` of the jobs that want
/// it full; 0 = none does.
std::uint64_t layout_size(const std::vector<Job>& jobs);

/// How often it is laid out when all of `jobs` run: before the first turn of one that wants it
/// full, and again before the next such turn after one that began with an empty file.
std::size_t layouts(const std::vector<Job>& jobs);

/// Most bytes that the test file ever has, in whole MiB: laid out, or grown by a job that began
/// with an empty file.
std::uint64_t test_file_size(const std::vector<Job>& jobs);

/// Refuses a target that the test file would take above kFullest, with the numbers. Unknown space
/// is accepted.
Outcome<Done> check_space(const Target& target, std::uint64_t needed);

}  // namespace sthd::plan
