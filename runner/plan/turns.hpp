#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sthd/job.hpp"

namespace sthd::plan {

/// Loops of one repeat of one job that one process runs.
struct Turn {
  std::size_t job = 0;
  std::uint32_t repeat = 0;
  std::uint32_t first_loop = 0;
  std::uint32_t loops = 1;
  std::uint64_t pause_ns = 0;  ///< before it; 0 before the first of all turns that run
};

/// The jobs of a plan in the order in which they run, so that what changes on the machine meanwhile
/// meets all that is compared:
///
/// - jobs with `repeat` whose ids differ in `condition` alone take turns, repeat by repeat
///   (A-B-A-B), from the place of the first of them on;
/// - the other jobs of a template with `repeat` go round together, repeat by repeat;
/// - a job and the twin behind it that checks it take turns loop by loop inside of each repeat;
/// - all others run in one go, and so does a job whose twin does not run.
///
/// A job with `order` grouped goes round with nobody: all its repeats come at its own place, before
/// the next job (A-A-B-B).
///
/// Each turn begins with its job's `interval`, but those of a grouped job after its first: as in
/// CrystalDiskMark, the pause is between the rows.
///
/// A job that does not run (`runs`, one a job) has one turn, and is nobody's partner.
std::vector<Turn> turns(const std::vector<Job>& jobs, const std::vector<bool>& runs);

}  // namespace sthd::plan
