#pragma once

#include "runner/app/terminal.hpp"
#include "sthd/report.hpp"

namespace sthd::app {

/// The exit code by the judgements of a report, with a sentence on stderr for each reason:
/// kJobFailed where a requirement that is about this machine could not be judged;
/// kExpectationMissed where one was missed or, with `strict`, any other expectation; else
/// kMeasured.
int expectation_code(const Report& report, bool strict, Terminal& terminal);

}  // namespace sthd::app
