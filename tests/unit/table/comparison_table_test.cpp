#include "kit/table/comparison_table.hpp"

#include <cmath>

#include "kit/table/csv.hpp"
#include "kit/table/part_text.hpp"
#include "support/catch.hpp"

namespace sthd::table {
namespace {

Comparison two_sides() {
  Comparison comparison;
  comparison.sides = {{"before", "1", ""}, {"after\x1b", "2", ""}};
  comparison.rows = {{.job = "a",
                      .label = "4K sync T1",
                      .op = Op::write,
                      .metric = "lat.p50",
                      .title = "p50 lat(us)",
                      .unit = "us",
                      .precision = 1,
                      .values = {85.5, 90.25},
                      .ratios = {{1.0556, 1.01, 1.1, Change::worse}}},
                     {.job = "b",
                      .label = "=b",
                      .metric = "iops",
                      .title = "IOPS",
                      .values = {10.0, std::nullopt},
                      .ratios = {{}}}};
  return comparison;
}

Ratio ratio(double value, double low, double high, Change change) {
  return {value, low, high, change};
}

}  // namespace

TEST_CASE("A ratio is shown with its interval and what it means", "[table][compare]") {
  CHECK(ratio_text(ratio(0.98, 0.951, 1.02, Change::none_shown)) == "0.98 (0.95-1.02) none shown");
  CHECK(ratio_text(ratio(1.311, 1.244, 1.38, Change::better)) == "1.31 (1.24-1.38) better");
  // What was shown does not read 1.00.
  CHECK(ratio_text(ratio(1.031, 1.004, 1.06, Change::better)) == "1.031 (1.004-1.060) better");
  CHECK(ratio_text(ratio(0.97, 0.95, 0.998, Change::worse)) == "0.970 (0.950-0.998) worse");
  CHECK(ratio_text(ratio(0.0123, 0.01, 0.02, Change::worse)) == "0.012 (0.010-0.020) worse");
  CHECK(ratio_text({0.13, {}, {}, Change::unknown}) == "0.13, no interval");
  CHECK(ratio_text({}) == "");
  CHECK(ratio_text({HUGE_VAL, {}, {}, Change::unknown}) == "");
}

TEST_CASE("What differs comes first, also where nothing does", "[table][compare]") {
  Comparison comparison = two_sides();
  CHECK(comparison_parts(comparison).front().notes.front() ==
        "The records know of nothing that differs beside the figures.");
  comparison.differences = {{"kernel|", {"6.1\x1b", ""}}};
  const ComparisonPart part = comparison_parts(comparison).front();
  CHECK(part.title == "What differs");
  CHECK(part.titles == std::vector<std::string>{"", "before", "after\\x1b"});
  CHECK(part.rows.front() == std::vector<std::string>{"kernel|", "6.1\\x1b", "unknown"});
  CHECK(plain_text(part) == "What differs:\n  kernel|: before 6.1\\x1b; after\\x1b unknown\n");
}

TEST_CASE("Rows have a figure a side and a ratio a later side", "[table][compare]") {
  const auto parts = comparison_parts(two_sides());
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].titles ==
        std::vector<std::string>{"Test", "Metric", "before", "after\\x1b", "after\\x1b / before"});
  CHECK(parts[1].rows[0] == std::vector<std::string>{"4K sync T1 write", "p50 lat(us)", "85.5",
                                                     "90.2", "1.06 (1.01-1.10) worse"});
  CHECK(parts[1].rows[1] == std::vector<std::string>{"=b read", "IOPS", "10", "", ""});
  CHECK(parts[1].notes.size() == 1);
}

TEST_CASE("Stages take the place of the rows, with their sentence", "[table][compare]") {
  Comparison comparison = two_sides();
  comparison.stages = StageTable{"Stage", {"IOPS"}, {{"a", {"1"}}, {"b", {"—"}}}, "Twice."};
  comparison.not_compared = {{"x", "not in b"}};
  comparison.limits = {{"a iops < 0%", LimitVerdict::kept, "All is well."}};
  const auto parts = comparison_parts(comparison);
  REQUIRE(parts.size() == 4);
  CHECK(plain_text(parts[1]) ==
        "Stages:\n"
        "+-------+------+\n"
        "| Stage | IOPS |\n"
        "+-------+------+\n"
        "| a     |    1 |\n"
        "| b     |    — |\n"
        "+-------+------+\n"
        "Twice.\n");
  CHECK(plain_text(parts[2]) == "Not compared:\n  x: not in b\n");
  CHECK(plain_text(parts[3]) == "Limits:\na iops < 0%: kept. All is well.\n");
}

TEST_CASE("Lines have a row and side each, their names always the same", "[table][compare]") {
  const ComparisonLines all = comparison_lines(two_sides());
  CHECK(csv_head(all.head) ==
        "job,label,op,metric,title,unit,side,value,ratio,ratio_low,ratio_high,change\n");
  REQUIRE(all.lines.size() == 4);
  CHECK(csv_line(all.lines[0]) == "a,4K sync T1,write,lat.p50,p50 lat(us),us,before,85.5,,,,\n");
  CHECK(csv_line(all.lines[1]) ==
        "a,4K sync T1,write,lat.p50,p50 lat(us),us,after\\x1b,90.25,1.0556,1.01,1.1,worse\n");
  CHECK(csv_line(all.lines[3]) == "b,'=b,read,iops,IOPS,,after\\x1b,,,,,unknown\n");
  CHECK(comparison_lines({}).lines.empty());
  CHECK(comparison_lines({}).head.size() == all.head.size());
}

TEST_CASE("Lines of stages have a stage each, their heads no formulas", "[table][compare]") {
  Comparison comparison = two_sides();
  comparison.stages = StageTable{"Stage", {"=x IOPS", "p50"}, {{"+a", {"1"}}}, ""};
  const ComparisonLines all = comparison_lines(comparison);
  CHECK(csv_head(all.head) == "Stage,'=x IOPS,p50\n");
  REQUIRE(all.lines.size() == 1);
  CHECK(csv_line(all.lines[0]) == "'+a,1,\n");
}

}  // namespace sthd::table
