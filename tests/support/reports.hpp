#pragma once

#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::test {

/// A report with a name that is good for a file: "mixed".
struct CannedReport {
  std::string name;
  Report report;
};

/// All fine: reads and writes of one label in one row, a finding, two loops.
Report ok_report();
/// Finished, skipped, failed, interrupted and unfinished rows, seven findings.
Report mixed_report();
/// Nothing at all.
Report empty_report();
/// Texts that are wide, combining, bidirectional, broken, or commands to a table's reader.
Report unicode_report();
/// Figures at the ends of their types, and more footnotes than a digit can number.
Report huge_report();
/// Rows that are measured three times in turns: under two conditions, one of them for the second
/// time only when the run was interrupted, and a third condition that cannot be had.
Report repeated_report();
/// The two tables in the original script's README: its figures, our MB/s.
Report original_cdm_report();
Report original_slog_report();
/// The second of them with expectations: missed, met, unknown, suspicious, and one that may not be
/// about the machine.
Report expected_report();

/// All of the above.
std::vector<CannedReport> canned_reports();

}  // namespace sthd::test
