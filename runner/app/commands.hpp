#pragma once

#include <string>
#include <vector>

#include "runner/app/options.hpp"
#include "runner/app/terminal.hpp"
#include "runner/host/plugin_host.hpp"
#include "runner/profile/profile.hpp"

namespace sthd::app {

/// The documented exit codes.
enum ExitCode : int {
  kMeasured = 0,
  kJobFailed = 1,
  kUsage = 2,
  kExpectationMissed = 3,
  kTargetRefused = 4,
  kReportLost = 5,
  kTargetHeld = 75,
  kSignalBase = 128,
};

/// What every command is given. All references outlive the call.
struct CommandInput {
  const Options& options;
  const std::vector<std::string>& argv;
  const host::PluginHost& plugins;
  Terminal& terminal;
};

/// Profiles of the invoking user first (also under sudo), then the installed ones.
profile::SearchPath profile_folders();

// Each returns the exit code.
int run_command(const CommandInput& input);
int plan_command(const CommandInput& input);
int check_command(const CommandInput& input);
int list_command(const CommandInput& input);
int cleanup_command(const CommandInput& input);
int probe_command(const CommandInput& input);
int doctor_command(const CommandInput& input);
int try_command(const CommandInput& input);
int watch_command(const CommandInput& input);
int analyze_command(const CommandInput& input);
int render_command(const CommandInput& input);
int compare_command(const CommandInput& input);
int history_command(const CommandInput& input);
int explain_command(const CommandInput& input);

}  // namespace sthd::app
