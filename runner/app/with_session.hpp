#pragma once

#include <string>
#include <vector>

#include "runner/app/commands.hpp"
#include "runner/run/interrupt.hpp"
#include "runner/run/scratch.hpp"
#include "runner/run/session.hpp"

// What the commands other than run share.
namespace sthd::app {

/// Prints what a command found; the exit code.
inline int finish(Terminal& terminal, const std::string& text, int code = kMeasured) {
  if (terminal.output(text)) return code;
  terminal.error("the output could not be written to stdout");
  return kReportLost;
}

/// A keeper and a session around `body`; the keeper cleans up behind it.
template <class Body>
int with_session(const CommandInput& input, const std::vector<Job>& jobs, const std::string& run_id,
                 Body body) {
  run::Interrupt interrupt;
  const run::Scratch scratch;
  const run::Inherited inherited{jobs, input.plugins,  run_id,
                                 -1,   scratch.path(), input.options.sysroot};
  const auto keeper = run::fork_keeper(inherited);
  if (!keeper) {
    input.terminal.error(keeper.error().message);
    return kJobFailed;
  }
  int code = 0;
  {
    run::Session session(*keeper, interrupt);
    code = body(session);
  }
  return interrupt.raised() ? kSignalBase + interrupt.signal() : code;
}

}  // namespace sthd::app
