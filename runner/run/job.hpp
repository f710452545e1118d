#pragma once

#include "runner/run/tasks.hpp"

namespace sthd::run {

/// The job process: reopens the test file with the job's flags, brings the cache into its declared
/// state, runs the backend loop by loop, and streams phases, progress and results. Ends early, with
/// what was measured, on SIGTERM.
Outcome<Done> run_job(const Task& task);

/// Writes the whole test file once: incompressible data, at the speed of the device.
Outcome<Done> lay_out(const Task& task);

/// The test file with the flags of `job` (O_DIRECT when `direct`, O_SYNC, O_DSYNC, access mode).
Outcome<int> reopen(int file, const Workload& workload, bool direct);

/// Installs the SIGTERM handler behind RunContext::cancelled().
void listen_for_cancel();

/// One line to the runner; false when it has gone.
bool send_line(int out, const std::string& line);

}  // namespace sthd::run
