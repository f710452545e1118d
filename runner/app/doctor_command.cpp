#include "runner/app/commands.hpp"
#include "runner/app/doctor_text.hpp"
#include "runner/app/floor.hpp"
#include "runner/app/run_hooks.hpp"

namespace sthd::app {

int doctor_command(const CommandInput& input) {
  RunHooks hooks;
  hooks.measured = [&input](Report& report, run::Interrupt& interrupt) {
    for (Fact& fact : measure_floor(input, report, interrupt)) {
      report.facts.push_back(std::move(fact));
    }
  };
  hooks.written = [&input](const Report& report, int code) {
    return say_below(input, doctor_text(report), code);
  };
  return run_with(input, hooks);
}

}  // namespace sthd::app
