#pragma once

#include <string>

#include "runner/app/commands.hpp"
#include "runner/record/import.hpp"
#include "sthd/outcome.hpp"

namespace sthd::app {

/// The report in `file`, our record or fio's JSON; "-" is stdin. Error{refused}: one sentence that
/// names the file, and what to give instead.
Outcome<record::Imported> read_report_file(const std::string& file);

/// Renders a report that is complete into what the options ask for. The exit code.
int render_report(const CommandInput& input, const Report& report);

}  // namespace sthd::app
