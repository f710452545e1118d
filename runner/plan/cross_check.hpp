#pragma once

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

}  // namespace sthd::plan
