#pragma once

#include "runner/app/labelled.hpp"
#include "runner/app/outputs.hpp"

namespace sthd::app {

/// `render` of several records in a format that shows them together: all of them, compared, with
/// the table of stages. Other formats that go to stdout show one after the other. The exit code.
int render_together(const CommandInput& input, Outputs& outputs);

/// Whether one of the formats shows several records together.
bool shows_several(const Outputs& outputs);

/// The exit code of outputs that could not be opened, after its sentence.
int opening_fault(const Error& error, Terminal& terminal);

}  // namespace sthd::app
