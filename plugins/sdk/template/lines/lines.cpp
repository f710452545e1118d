// A formatter in one file: each row of the table as one line, "label: title value; …".
#include <fmt/format.h>

#include "kit/table/formatter.hpp"
#include "sthd/abi.hpp"

namespace {

using sthd::table::Row;
using sthd::table::Table;

class Lines final : public sthd::table::TableFormatter {
 protected:
  /// Exceptions are welcome anywhere in here: the base class turns them into errors.
  [[nodiscard]] sthd::FormatterInfo describe() const override {
    return {.extensions = {"lines"}, .streams = true};
  }

  void write_head(const Table& table, std::string& out) const override {
    if (!table.title.empty()) out += table.title + "\n";
  }

  void write_row(const Table& table, const Row& row, std::string& out) const override {
    out += row.label + ":";
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      // An empty cell means "not known": leave it out rather than print a 0.
      if (row.cells[i].text.empty()) continue;
      out += fmt::format(" {} {};", table.titles[i], row.cells[i].text);
    }
    out += "\n";
  }

  void write_tail(const Table& table, std::string& out) const override {
    for (const std::string& finding : table.findings) out += finding + "\n";
  }
};

}  // namespace

STHD_FORMATTER_PLUGIN(Lines, "lines", "One line for each row")
