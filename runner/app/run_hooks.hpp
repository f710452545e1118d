#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runner/app/commands.hpp"
#include "runner/app/prepare.hpp"
#include "runner/run/interrupt.hpp"
#include "sthd/report.hpp"

namespace sthd::app {

/// What a command that measures as `run` does adds to it. An empty function adds nothing.
struct RunHooks {
  /// Before the first row. An exit code ends the command there; its reason has been printed.
  std::function<std::optional<int>(const Report&, const Prepared&)> ready;
  /// After the last row, unless a signal came: the test file is gone, signals are still taken.
  /// What is added to the report is judged and written with it.
  std::function<void(Report&, run::Interrupt&)> measured;
  /// After the report was written; gives the exit code, and gets the one that `run` would have.
  std::function<int(const Report&, int code)> written;
};

/// `run`, with `hooks`. The exit code.
int run_with(const CommandInput& input, const RunHooks& hooks);

/// What such a command says below the table: on stdout when the table is there, else on stderr.
/// `code`, or kReportLost where it could not be written and nothing worse has happened.
int say_below(const CommandInput& input, const std::string& text, int code);

}  // namespace sthd::app
