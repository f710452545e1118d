#pragma once

#include <string>

#include "sthd/formatter.hpp"

namespace sthd::html {

// Parts of a page, as markup; empty where the report has nothing to say.

/// The table as every format shows it, its footnotes and what ran.
std::string results_section(const Report& report);
/// All findings, the worst first, with evidence and remedies.
std::string findings_section(const Report& report);
/// The figures beside those that were expected.
std::string expectations_section(const Report& report);

/// Latency by percentile, all rows in one plot.
std::string latency_section(const Report& report);
/// Each row over time, with the mean of the disks' own counters.
std::string course_section(const Report& report);
/// Mean latency by layer.
std::string layers_section(const Report& report);
/// Each repeat as a point, a plot for each column.
std::string repeats_section(const Report& report);

/// How to do it again: command line, rows with their fio commands, environment, profile.
/// `details` opens the environment.
std::string setting_section(const Report& report, bool details);

/// What `compare` found, and overlay_sections().
std::string comparison_sections(const FormatInput& input);
/// Of a comparison: the curves of all sides laid over each other, row by row.
std::string overlay_sections(const FormatInput& input);

/// How many rows of a page have curves; all are in its tables.
inline constexpr std::size_t kMostCurves = 64;

}  // namespace sthd::html
