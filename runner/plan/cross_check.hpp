#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sthd/job.hpp"

namespace sthd::plan {

/// Whose figures a cross-check compares ours with.
inline constexpr const char* kCheckBackend = "fio-exec";

/// A twin for each of `jobs`, in their order: the same workload by kCheckBackend, with a label and
/// an id of its own. A label that another row has already gets one more " fio".
std::vector<Job> twins_of(const std::vector<Job>& jobs);

/// The twin with the one engine that its job was resolved to.
Job twin_with(Job twin, const std::string& engine);

/// Loops of one job that one process runs.
struct Turn {
  std::size_t job = 0;
  std::uint32_t first_loop = 0;
  std::uint32_t loops = 1;
};

/// The plan in running order. A job and the twin behind it take turns, loop by loop, so that what
/// changes on the machine meanwhile meets both; all others run in one go, and so does a job whose
/// twin does not run (`runs`, one a job).
std::vector<Turn> turns(const std::vector<Job>& jobs, const std::vector<bool>& runs);

}  // namespace sthd::plan
