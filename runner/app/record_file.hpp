#pragma once

#include <string>

#include "runner/app/commands.hpp"
#include "runner/record/import.hpp"
#include "sthd/outcome.hpp"

namespace sthd::app {

/// The report in `file`, our record or fio's JSON; "-" is stdin, "@-1" the newest run that was
/// kept, and where no file has that name, an id or the beginning of one means a kept run too.
/// Error{refused}: one sentence that names the file, and what to give instead.
Outcome<record::Imported> read_report_file(const std::string& file);

/// The same with its findings: those it has, or, of fio's figures and of a record that ends early,
/// made now. A note says which one ends early.
Outcome<record::Imported> read_judged(const CommandInput& input, const std::string& file);

/// Renders a report that is complete into what the options ask for. The exit code.
int render_report(const CommandInput& input, const Report& report);

}  // namespace sthd::app
