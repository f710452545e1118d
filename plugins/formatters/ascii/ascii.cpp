#include <fmt/format.h>

#include <iterator>

#include "kit/table/formatter.hpp"
#include "kit/table/grid.hpp"
#include "kit/table/number.hpp"
#include "sthd/abi.hpp"

namespace sthd {
namespace {

/// The original script's table: a frame of + - |, labels left, numbers right.
class Ascii final : public table::TableFormatter {
 protected:
  [[nodiscard]] FormatterInfo describe() const override { return {{"txt"}, true}; }

  void write_head(const table::Table& table, std::string& out) const override {
    const table::Grid grid = table::grid_of(table);
    rule(table, out);
    out += fmt::format("| {} |", table::left(table.label_title, grid.label));
    for (const std::string& title : table.titles) value(title, grid, out);
    out += '\n';
    rule(table, out);
  }

  void write_row(const table::Table& table, const table::Row& row,
                 std::string& out) const override {
    const table::Grid grid = table::grid_of(table);
    out += fmt::format("| {} |", table::left(row.label, grid.label));
    for (const table::Cell& cell : row.cells) value(table::fit(cell, grid.value), grid, out);
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

 private:
  static void value(std::string_view text, const table::Grid& grid, std::string& out) {
    out += fmt::format(" {} |", table::right(text, grid.value));
  }
  static void rule(const table::Table& table, std::string& out) {
    const table::Grid grid = table::grid_of(table);
    out += '+' + std::string(grid.label + 2, '-') + '+';
    for (std::size_t i = 0; i < table.titles.size(); ++i) {
      out += std::string(grid.value + 2, '-') + '+';
    }
    out += '\n';
  }
};

}  // namespace
}  // namespace sthd

STHD_FORMATTER_PLUGIN(sthd::Ascii, "ascii", "Table for the terminal, printed row by row")
