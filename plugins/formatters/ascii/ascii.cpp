#include <fmt/format.h>

#include <string>

#include "kit/table/formatter.hpp"
#include "kit/table/grid.hpp"
#include "kit/table/number.hpp"
#include "kit/table/part_text.hpp"
#include "sthd/abi.hpp"

namespace sthd {
namespace {

/// The original script's table: a frame of + - |, labels left, numbers right.
class Ascii final : public table::TableFormatter {
 protected:
  [[nodiscard]] FormatterInfo describe() const override {
    return {.extensions = {"txt"}, .streams = true, .compares = true};
  }

  void write_head(const table::Table& table, std::string& out) const override {
    const table::Grid grid = table::grid_of(table);
    rule(table, out);
    out += fmt::format("| {} |", table::left(table.label_title, grid.label));
    for (std::size_t i = 0; i < table.titles.size(); ++i) {
      value(table.titles[i], table::width_of(grid, table, i), out);
    }
    out += '\n';
    rule(table, out);
  }

  void write_row(const table::Table& table, const table::Row& row,
                 std::string& out) const override {
    const table::Grid grid = table::grid_of(table);
    out += fmt::format("| {} |", table::left(row.label, grid.label));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const std::size_t width = table::width_of(grid, table, i);
      value(table::fit(row.cells[i], width), width, out);
    }
    for (const table::Cell& remark : row.remarks) {
      out += fmt::format(" {} {}", remark.text, table::mark_text(remark.mark));
      if (remark.mark == 0) out.pop_back();
    }
    out += '\n';
  }

  void write_tail(const table::Table& table, std::string& out) const override {
    rule(table, out);
    for (std::size_t i = 0; i < table.footnotes.size(); ++i) {
      out += fmt::format("{} {}\n", table::mark_text(i + 1), table.footnotes[i]);
    }
    for (const std::string& finding : table.findings) out += finding + '\n';
    for (const std::string& fact : table.facts) out += fact + '\n';
  }

  void write_part(const table::ComparisonPart& part, std::string& out) const override {
    out += (out.empty() ? "" : "\n") + table::plain_text(part);
  }

 private:
  static void value(std::string_view text, std::size_t width, std::string& out) {
    out += fmt::format(" {} |", table::right(text, width));
  }
  static void rule(const table::Table& table, std::string& out) {
    const table::Grid grid = table::grid_of(table);
    out += '+' + std::string(grid.label + 2, '-') + '+';
    for (std::size_t i = 0; i < table.titles.size(); ++i) {
      out += std::string(table::width_of(grid, table, i) + 2, '-') + '+';
    }
    out += '\n';
  }
};

}  // namespace
}  // namespace sthd

STHD_FORMATTER_PLUGIN(sthd::Ascii, "ascii", "Table for the terminal, printed row by row")
