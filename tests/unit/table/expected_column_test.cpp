#include "kit/table/expected_column.hpp"

#include "kit/table/grid.hpp"
#include "sthd/text.hpp"
#include "support/catch.hpp"
#include "support/reports.hpp"

namespace sthd::table {
namespace {

/// The slog rows, of whose T1 and T4 something is expected.
Report expecting(std::vector<ExpectedRange> ranges) {
  Report report = test::original_slog_report();
  report.expectations = {{"e", ExpectKind::healthy, {"sync4k/threads=1", "sync4k/threads=4"}}};
  report.expectations[0].ranges = std::move(ranges);
  return report;
}

void judged(Report& report, const ExpectedRange& range, double value, Expected verdict) {
  report.judgements.push_back({"e", "sync4k/threads=1", Op::write, range, value, verdict, ""});
}

std::string cell(const Report& report, const char* label = "4K sync T1") {
  return expected_cell(report, label).text;
}

TEST_CASE("A figure that is not as expected stands beside what is", "[table][expect]") {
  struct Case {
    ExpectedRange range;
    double value;
    std::string text;
  };
  for (const Case& item :
       std::vector<Case>{{{"iops", 15000, 25000, {}}, 10687.4, "10687 (15000-25000) IOPS"},
                         {{"lat.p50", 40e3, 65e3, {}}, 85504, "85.5 (40-65) us p50"},
                         {{"sync.p99", {}, 10e6, {}}, 12345678, "12346 (≤10000) us sync.p99"},
                         {{"bw", 1e9, {}, {}}, 9.44e6, "9.44 (≥1000) MB/s"},
                         {{"bw", 2826e6, {}, 3140e6}, 2518e6, "2518 (3140) MB/s"},
                         {{"seconds", {}, 2.5, {}}, 100, "100 (≤2.5) s"},
                         {{"bytes", 4096, {}, {}}, 0, "0 (≥4096) B"},
                         {{"depth", 31.5, {}, {}}, 1.0625, "1.06 (≥31.5) depth"},
                         {{"submit_share", {}, 5, {}}, 50, "50 (≤5) % submit_share"},
                         {{"iops", 2e19, {}, {}}, 1.8446744e19, "1.845e+19 (≥2.000e+19) IOPS"}}) {
    Report report = expecting({item.range});
    judged(report, item.range, item.value, Expected::missed);
    CHECK(cell(report) == item.text);
    CHECK(display_width(item.text) <= expected_width(report));
  }
}

TEST_CASE("A row says the worst, and how much more is not as expected", "[table][expect]") {
  const ExpectedRange iops{"iops", 15000, 25000, {}};
  const ExpectedRange bw{"bw", 1e6, {}, {}};
  const ExpectedRange spec{"iops", 9000, {}, 10000};
  Report report = expecting({iops, bw, spec});
  CHECK(cell(report).empty());  // not judged
  judged(report, bw, 2e6, Expected::met);
  CHECK(cell(report) == "ok");
  judged(report, bw, 2e6, Expected::unknown);
  CHECK(cell(report) == "unknown");
  judged(report, spec, 10687, Expected::met);
  CHECK(cell(report) == "10687 (10000) IOPS");
  judged(report, iops, 10687, Expected::missed);
  CHECK(cell(report) == "10687 (15000-25000) IOPS");
  judged(report, bw, 1e5, Expected::missed);
  judged(report, spec, 99999, Expected::above);
  CHECK(cell(report) == "10687 (15000-25000) IOPS +2");
  CHECK(display_width(cell(report)) <= expected_width(report));
  CHECK(cell(report, "4K sync T8").empty());
  report.records.clear();  // not finished
  CHECK(cell(report).empty());
}

TEST_CASE("A maker's figure that could not be judged is unknown", "[table][expect]") {
  Report report = expecting({{"bw", 9, {}, 10}});
  report.judgements = {{"e",
                        "sync4k/threads=1",
                        Op::write,
                        {"bw", 9, {}, 10},
                        {},
                        Expected::unknown,
                        "the row has no bw"}};
  CHECK(cell(report) == "unknown");
}

TEST_CASE("Two directions of a row are told apart", "[table][expect]") {
  Report report = test::original_cdm_report();
  const ExpectedRange read{"bw", 2826e6, {}, 3140e6};
  const ExpectedRange write{"bw", 1368e6, {}, 1520e6};
  const std::string reads = "SEQ1M Q8T1/op=read";
  const std::string writes = "SEQ1M Q8T1/op=write";
  report.expectations = {{"r", ExpectKind::vendor_spec, {reads}, {}, "s", "", {read}},
                         {"w", ExpectKind::vendor_spec, {writes}, {}, "s", "", {write}}};
  report.judgements = {{"r", reads, Op::read, read, 2518e6, Expected::missed, ""},
                       {"w", writes, Op::write, write, 1583e6, Expected::met, ""}};
  const std::string both = "read 2518 (3140) MB/s, write 1583 (1520) MB/s";
  CHECK(cell(report, "SEQ1M Q8T1") == both);
  CHECK(display_width(both) <= expected_width(report));
  report.expectations.pop_back();
  CHECK(cell(report, "SEQ1M Q8T1") == "2518 (3140) MB/s");
}

TEST_CASE("The column is there when an expectation is about a row of this machine",
          "[table][expect]") {
  Report report = expecting({{"iops", 15000, 25000, {}}});
  CHECK(build(report).titles.back() == "Expected");
  CHECK(build(report).rows[0].cells.size() == 5);
  const std::size_t width = expected_width(report);
  CHECK(width > 0);
  report.records.clear();
  report.judgements.clear();
  CHECK(expected_width(report) == width);  // known before the first figure
  report.expectations[0].only_if = {{"filesystem", "zfs"}};
  CHECK(expected_width(report) == 0);  // unknown
  report.facts = {{"target.filesystem", "ext4", ""}};
  CHECK(build(report).titles.size() == 4);
  report.facts[0].value = "zfs";
  CHECK(expected_width(report) == width);
  report.expectations[0].jobs = {"gone"};
  CHECK(expected_width(report) == 0);
}

TEST_CASE("The last column has its own width, and the others keep theirs", "[table][expect]") {
  Report report = expecting({{"iops", 15000, 25000, {}}});
  const Table table = build(report);
  const Grid grid = grid_of(table);
  CHECK(grid.label + 2 == 18);
  CHECK(width_of(grid, table, 0) + 2 == 14);
  CHECK(width_of(grid, table, 3) + 2 == 14);
  CHECK(width_of(grid, table, 4) == expected_width(report));
  const Table plain = build(test::original_slog_report());
  CHECK(width_of(grid_of(plain), plain, 3) + 2 == 14);
}

}  // namespace
}  // namespace sthd::table
