#pragma once

#include <string>
#include <vector>

#include "kit/table/fields.hpp"
#include "sthd/comparison.hpp"

namespace sthd::table {

/// A part of a comparison: a table of ready texts and what stands below it. All have passed through
/// display().
struct ComparisonPart {
  std::string title;                ///< "What differs"
  std::vector<std::string> titles;  ///< heads of the columns; none = there is no table
  std::vector<std::vector<std::string>> rows;
  bool numbers = false;  ///< the columns after the first hold figures
  std::vector<std::string> notes;
};

/// What differs, then the stages or the rows with their ratios, what was not compared, and the
/// limits. Parts that would be empty are left out, but the first.
std::vector<ComparisonPart> comparison_parts(const Comparison& comparison);

/// "0.98 (0.95-1.02) none shown", "0.13, no interval"; empty for unknown.
std::string ratio_text(const Ratio& ratio);

/// The same figures for formats without structure: a line a row and side, or a line a stage.
struct ComparisonLines {
  std::vector<Field> head;  ///< its names are those of every line
  std::vector<std::vector<Field>> lines;
};
ComparisonLines comparison_lines(const Comparison& comparison);

}  // namespace sthd::table
