#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/app/commands.hpp"
#include "runner/plan/resolve.hpp"
#include "runner/run/session.hpp"
#include "sthd/report.hpp"

namespace sthd::app {

/// Loads and expands the profile into a report that has tool, profile, columns, environment and
/// plan; nothing when a fault was printed.
std::optional<Report> load_report(const CommandInput& input);

/// The exit code of a step's Error, which is printed.
int refuse(Terminal& terminal, const Error& error);

/// What a run or a plan knows about its target after the tiny I/Os.
struct Prepared {
  plan::DirectFacts direct;
  std::vector<plan::Resolved> resolved;  ///< per job of the plan
};

/// What the keeper must know before anything is tried: the jobs of `report`, and with --cross-check
/// a twin for each of them.
std::vector<Job> candidate_jobs(const CommandInput& input, const Report& report);

/// Inspects the target into `report`, refuses it for want of space, creates the test file, tries
/// O_DIRECT and resolves each job. Puts the twins of a cross-check behind their jobs, and costs
/// what will run. Error as from Session.
Outcome<Prepared> prepare_target(const CommandInput& input, run::Session& session, Report& report);

/// Those jobs of the plan that were resolved.
std::vector<Job> jobs_that_run(const Report& report, const Prepared& prepared);

/// The banner: what will run, on what, how, why, how long.
std::vector<std::string> banner(const Report& report, const Prepared& prepared);

}  // namespace sthd::app
