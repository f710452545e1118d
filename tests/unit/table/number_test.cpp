#include "kit/table/number.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "sthd/text.hpp"
#include "support/catch.hpp"

namespace sthd::table {
namespace {

Cell cell_of(std::string metric, std::string unit, int precision, double value,
             bool rough = false) {
  Column column;
  column.metric = std::move(metric);
  column.unit = std::move(unit);
  column.precision = precision;
  return number_cell(column, MetricValue{value, rough, 0});
}

TEST_CASE("A figure is written in its column's unit and precision", "[table][units]") {
  struct Row {
    const char* metric;
    const char* unit;
    int precision;
    double value;
    const char* text;
  };
  const std::vector<Row> rows{{"iops", "", 0, 6873.4, "6873"},
                              {"bw", "MB/s", 2, 7206862848.0, "7206.86"},
                              {"bw", "GB/s", 1, 7206862848.0, "7.2"},
                              {"bw", "MiB/s", 0, 7206862848.0, "6873"},
                              {"bw", "", 0, 12.0, "12"},
                              {"bw", "MB", 0, 12.0, "12"},
                              {"bytes", "B", 0, 4096, "4096"},
                              {"bytes", "GiB", 2, 1610612736.0, "1.50"},
                              {"seconds", "s", 2, 5.001, "5.00"},
                              {"seconds", "", 1, 5.06, "5.1"},
                              {"seconds", "ms", 0, 5.0, "5000"},
                              {"lat.p50", "us", 1, 85504, "85.5"},
                              {"clat.mean", "ms", 3, 85504, "0.086"},
                              {"sync.max", "s", 1, 2.5e9, "2.5"},
                              {"slat.min", "ns", 0, 120, "120"},
                              {"depth", "", 1, 31.94, "31.9"},
                              {"submit_share", "%", 1, 12.34, "12.3"}};
  for (const Row& row : rows) {
    INFO(row.metric << " in " << row.unit);
    CHECK(cell_of(row.metric, row.unit, row.precision, row.value).text == row.text);
  }
}

TEST_CASE("What is unknown or no number is an empty cell", "[table]") {
  CHECK(number_cell(Column{}, std::nullopt).text.empty());
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const Cell cell = cell_of("iops", "", 0, value);
    CHECK(cell.text.empty());
    CHECK_FALSE(cell.value.has_value());
  }
}

TEST_CASE("A rough quantile has a tilde before it", "[table]") {
  CHECK(cell_of("lat.p99", "us", 1, 185'344, true).text == "~185.3");
}

TEST_CASE("A number too long for its column loses decimals, then becomes a power of ten",
          "[table]") {
  struct Row {
    double value;
    int precision;
    bool rough;
    std::size_t mark;
    const char* text;
  };
  const std::vector<Row> rows{{6873, 2, false, 0, "6873.00"},
                              {6873, 2, false, 1, "[1] 6873.00"},
                              {123456.78, 2, false, 1, "[1]123456.78"},
                              {1234567.89, 2, false, 1, "[1]1234567.9"},
                              {1234567.89, 2, false, 10, "[10] 1234568"},
                              {123456789012.0, 2, false, 0, "123456789012"},
                              {1234567890123.0, 2, false, 0, "1.235e+12"},
                              {1234567890123.0, 2, true, 0, "~1.235e+12"},
                              {1234567890123.0, 2, true, 7, "[7]~1.23e+12"},
                              {1234567890123.0, 2, true, 123, "[123] ~1e+12"}};
  for (const Row& row : rows) {
    Cell cell = cell_of("iops", "", row.precision, row.value, row.rough);
    cell.mark = row.mark;
    CHECK(fit(cell, 12) == row.text);
  }
}

TEST_CASE("A number that is too long loses its decimals, then its spread", "[table]") {
  Cell cell = cell_of("iops", "", 2, 7206.86, false);
  cell.spread = "±2.1%";
  cell.text += " ±2.1%";
  CHECK(fit(cell, 20) == "7206.86 ±2.1%");
  CHECK(fit(cell, 13) == "7206.86 ±2.1%");
  CHECK(fit(cell, 12) == "7206.9 ±2.1%");
  CHECK(fit(cell, 10) == "7207 ±2.1%");
  CHECK(fit(cell, 9) == "7206.86");
  CHECK(fit(cell, 4) == "7207");
}

TEST_CASE("Words are never cut", "[table]") {
  Cell cell;
  cell.text = "skipped";
  cell.mark = 10;
  CHECK(fit(cell, 12) == "[10] skipped");
  cell.mark = 100;
  CHECK(fit(cell, 12) == "[100]skipped");
  CHECK(fit(cell, 3) == "[100] skipped");
  CHECK(fit(Cell{}, 12).empty());
}

}  // namespace
}  // namespace sthd::table
