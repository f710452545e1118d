#include "kit/table/grid.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/reports.hpp"

namespace sthd::table {
namespace {

TEST_CASE("The grid has the widths of the original script's tables", "[table][grid]") {
  const Grid cdm = grid_of(build(test::original_cdm_report()));
  CHECK(cdm.label + 2 == 18);
  CHECK(cdm.value + 2 == 16);
  const Grid slog = grid_of(build(test::original_slog_report()));
  CHECK(slog.label + 2 == 18);
  CHECK(slog.value + 2 == 14);
}

TEST_CASE("The grid depends on titles and labels alone", "[table][grid]") {
  Table table;
  CHECK(grid_of(table).label == 16);
  CHECK(grid_of(table).value == 12);
  table.titles = {"a title of 20 chars."};
  CHECK(grid_of(table).value == 22);
  table.titles = {"a title of 21 chars.."};
  CHECK(grid_of(table).value == 22);
  Row row;
  row.label = "日本語日本語日本語";  // 18 columns
  row.cells.resize(1);
  row.cells[0].text = std::string(40, '9');
  table.rows = {row};
  CHECK(grid_of(table).label == 18);
  CHECK(grid_of(table).value == 22);
}

TEST_CASE("Where rows are measured repeatedly there is room for their spread", "[table][grid]") {
  Table table;
  table.repeats = true;
  CHECK(grid_of(table).value == 20);
  table.titles = {"Write (MB/s)"};
  CHECK(grid_of(table).value == 22);
}

TEST_CASE("Padding counts terminal columns, not bytes", "[table][grid]") {
  CHECK(left("日本", 6) == "日本  ");
  CHECK(right("µs", 4) == "  µs");
  CHECK(right("e\u0301", 2) == " e\u0301");
  CHECK(left("too long", 3) == "too long");
}

}  // namespace
}  // namespace sthd::table
