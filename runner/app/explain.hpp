#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::app {

/// The README's section on findings. Defined in a source that the build makes.
std::string_view findings_text();

/// The codes that the README explains, in its order.
std::vector<std::string> explained_codes();

/// What the README says of a code, its name first; empty for one it does not know.
std::string explanation(std::string_view code);

/// Every finding of a report with evidence and remedy, then the mean latency by layer: what `run
/// --explain` shows below the table. Display()ed.
std::string explain_report(const Report& report);

}  // namespace sthd::app
