#pragma once

#include "runner/profile/diagnostics.hpp"
#include "runner/profile/matrix.hpp"
#include "sthd/job.hpp"

namespace sthd::profile {

/// What `--set` and `--axis` gave: each key known, each value accepted by the schema.
Checked<CommandLine> read_command_line(const Overrides& overrides);

/// The workload and label of a case, with every default resolved. Faults name what is missing or
/// does not fit together; the job is then of no use.
Job resolve(const Case& candidate, Diagnostics& faults);

}  // namespace sthd::profile
