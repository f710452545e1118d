#pragma once

#include "runner/app/commands.hpp"
#include "runner/run/interrupt.hpp"
#include "sthd/facts.hpp"
#include "sthd/report.hpp"

namespace sthd::app {

/// Does the report's row of single writes to a file on tmpfs too, for as long: what it takes there
/// is what the machine alone costs. The facts "floor.*"; where it cannot be had, floor.mean_ns
/// without value and the reason. Takes some seconds, and the signals that `interrupt` takes.
Facts measure_floor(const CommandInput& input, const Report& report, run::Interrupt& interrupt);

}  // namespace sthd::app
