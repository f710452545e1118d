#pragma once

#include <cstddef>
#include <string>

#include "kit/table/comparison_table.hpp"
#include "kit/table/table.hpp"
#include "sthd/formatter.hpp"

namespace sthd::table {

/// Base of a formatter that shows the Table: three functions that append text, and row by row
/// output comes for nothing (say `streams = true` in describe() when a terminal may show it so).
/// write_head may use only titles and labels.
class TableFormatter : public FormatterPlugin {
 protected:
  virtual void write_head(const Table& table, std::string& out) const = 0;
  virtual void write_row(const Table& table, const Row& row, std::string& out) const = 0;
  virtual void write_tail(const Table& table, std::string& out) const = 0;
  /// What stands below it and takes more than the table: `--details`, `--plots`.
  virtual void write_more(const FormatInput&, std::string&) const {}
  /// Where describe() says `compares`: the parts of a comparison, in their order.
  virtual void write_part(const ComparisonPart&, std::string&) const {}

  [[nodiscard]] std::string format(const FormatInput& input) const final {
    std::string out;
    if (input.comparison != nullptr) {
      for (const ComparisonPart& part : comparison_parts(*input.comparison)) write_part(part, out);
      return out;
    }
    const Table table = build(input.report);
    write_head(table, out);
    for (const Row& row : table.rows) write_row(table, row, out);
    write_tail(table, out);
    write_more(input, out);
    return out;
  }
  [[nodiscard]] std::string format_head(const FormatInput& input) const final {
    std::string out;
    write_head(build(input.report), out);
    return out;
  }
  [[nodiscard]] std::string format_row(const FormatInput& input, std::size_t index) const final {
    const Table table = build(input.report);
    std::string out;
    if (index < table.rows.size()) write_row(table, table.rows[index], out);
    return out;
  }
  [[nodiscard]] std::string format_tail(const FormatInput& input) const final {
    std::string out;
    write_tail(build(input.report), out);
    write_more(input, out);
    return out;
  }
};

}  // namespace sthd::table
