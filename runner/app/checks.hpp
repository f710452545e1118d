#pragma once

#include <string>
#include <vector>

#include "runner/analyze/analyze.hpp"
#include "sthd/report.hpp"

// Which checks can say anything of a report. A rule without its facts is silent, and silence must
// not be taken for a clean bill.
namespace sthd::app {

using analyze::all_checks;
using analyze::Check;

/// "checks    17 of 43 can be made", and what the others lack: in sentences of at most 100 columns,
/// or, with `each`, a line for each thing with the checks that need it.
std::vector<std::string> known_lines(const Report& report, bool each);

}  // namespace sthd::app
