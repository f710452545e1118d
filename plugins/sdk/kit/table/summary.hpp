#pragma once

#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::table {

/// The report's findings, the worst first, otherwise in their order. Points into the report.
std::vector<const Finding*> sorted_findings(const Report& report);

/// One statement, about several jobs perhaps.
struct FindingGroup {
  std::vector<const Finding*> findings;  ///< of the same severity, text and remedy; never empty
  std::vector<std::string> where;        ///< "4K sync T1 write", untrusted; none = the whole run
};

/// `worst_first` with equal statements together, each where its first was.
std::vector<FindingGroup> grouped_findings(const Report& report,
                                           const std::vector<const Finding*>& worst_first);

/// The first three findings in full (the same statement about several jobs counts once), then how
/// many more there are.
std::vector<std::string> finding_lines(const Report& report,
                                       const std::vector<const Finding*>& worst_first);

/// What ran (backend, engine, direct and why, notes), where, and how long it took: a few lines,
/// however many jobs there were.
std::vector<std::string> fact_lines(const Report& report);

/// What was measured by rows that took turns ("measured-effect"), each with its interval.
std::vector<std::string> effect_lines(const Report& report);

/// Where the time of each row went: "4K sync T1 write: application 1999.0 us, device 19.1 us". Rows
/// whose layers are not known are left out.
std::vector<std::string> layer_lines(const Report& report);

/// Of a report without findings: that there are none, what was looked at, and what could not be
/// because nothing was counted. Empty where there are findings, or where nothing was
/// measured or could be looked at.
std::string checked_line(const Report& report);

/// "application 1999.0 us, device 19.1 us"; empty without layers.
std::string layers_text(const std::vector<Layer>& layers);

}  // namespace sthd::table
