#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::table {

/// One cell. Every text in a Table has passed through sthd::display().
struct Cell {
  std::string text;             ///< "7206.86 ±2.1%", "~185.3", "skipped"; empty = unknown
  std::optional<double> value;  ///< what `text` says, in the column's unit; empty for words
  int precision = 0;            ///< decimals of `text`
  bool rough = false;           ///< a quantile of too few samples: `text` begins with "~"
  std::string spread;           ///< "±2.1%", half the range of the repeats: the end of `text`
  std::size_t mark = 0;         ///< its footnote, 1-based; 0 = none
};

/// All jobs of one label.
struct Row {
  std::string label;
  std::vector<Cell> cells;    ///< one a column
  std::vector<Cell> remarks;  ///< about the whole row: "interrupted", with its footnote
};

/// What every table formatter shows; how it looks is the formatter's.
struct Table {
  std::string title;                   ///< of the profile; may be empty
  std::string label_title = "Test";    ///< head of the first column
  std::vector<std::string> titles;     ///< heads of the value columns
  bool repeats = false;                ///< cells may have a spread: medians of repeats
  std::size_t expected_width = 0;      ///< of the last column, where it is expected_cell()'s
  std::vector<Row> rows;               ///< distinct labels in plan order, finished or not
  std::string environment;             ///< what was measured on, in one line; may be empty
  std::vector<std::string> footnotes;  ///< of mark 1, 2, …; each text once
  std::vector<std::string> findings;   ///< the worst three in full, then "+6 notes"
  std::vector<std::string> facts;      ///< what ran, and how long it took
  std::vector<std::string> effects;    ///< what rows that took turns showed, all of it
  std::vector<std::string> layers;     ///< mean latency at each layer, a line a job that knows it
};

/// The table of a report: pure, and with the marks numbered row by row, so that a row's text does
/// not change when later rows arrive.
Table build(const Report& report);

/// "[3]"; empty for 0.
std::string mark_text(std::size_t mark);

}  // namespace sthd::table
