#include "runner/compare/stages.hpp"

#include <fmt/format.h>

#include "support/catch.hpp"
#include "support/comparisons.hpp"
#include "support/reports.hpp"

namespace sthd::compare {
namespace {

using test::four_stages;
using test::Labelled;

constexpr std::string_view kColumns =
    "sync4k/threads=1 iops, sync4k/threads=1 lat.p50, sync4k/threads=1 bw, "
    "sync4k/threads=16 iops, sync4k/threads=16 bw, sync4k/threads=16 lat.p99";

Outcome<StageTable> table_of(const Labelled& records, std::string_view columns,
                             const std::vector<Note>& notes = {}) {
  std::vector<FigureName> names;
  if (!columns.empty()) {
    auto parsed = parse_columns(columns);
    if (!parsed) return parsed.error();
    names = *parsed;
  }
  return stages({records.reports, records.labels}, names, notes);
}

std::string line(const StageTable::Row& row) {
  return fmt::format("{}: {}", row.label, fmt::join(row.cells, " | "));
}

std::string note_fault(const std::string& note) {
  const auto table = table_of(four_stages(), kColumns, {{note}});
  return table ? "" : table.error().message;
}

std::string columns_fault(std::string_view columns) {
  const auto table = table_of(four_stages(), columns);
  return table ? "" : table.error().message;
}

std::string sentence(const Labelled& records, std::string_view columns) {
  const auto table = table_of(records, columns);
  REQUIRE(table.ok());
  return table->sentence;
}

}  // namespace

TEST_CASE("The cure of the slow log device in its four stages", "[compare][stages]") {
  const auto table = table_of(four_stages(), kColumns,
                              {{"DAPC (start): sync4k/threads=16 iops = —"},
                               {"DAPC (start): sync4k/threads=16 write bw = regressing"},
                               {"DAPC (start): 4K sync T16 lat.p99 = thrashing"}});
  REQUIRE(table.ok());
  CHECK(table->label_title == "Stage");
  CHECK(table->titles == std::vector<std::string>{"4K sync T1 IOPS", "4K sync T1 p50 lat(us)",
                                                  "4K sync T1 MB/s", "4K sync T16 IOPS",
                                                  "4K sync T16 MB/s", "4K sync T16 p99 lat(us)"});
  REQUIRE(table->rows.size() == 4);
  CHECK(line(table->rows[0]) ==
        "DAPC (start): 3050 | 328.0 | 12.50 | — | 38.00 (regressing) | thrashing");
  CHECK(line(table->rows[1]) == "BIOS Performance: 5849 | 160.8 | 23.96 | 46009 | 188.45 | 1057.0");
  CHECK(line(table->rows[2]) ==
        "+ kernel parameters: 6217 | 150.5 | 25.46 | 47166 | 193.19 | 684.0");
  CHECK(line(table->rows[3]) ==
        "+ performance governor: 10687 | 85.5 | 43.77 | 77939 | 319.24 | 506.0");
  CHECK(table->sentence ==
        "Net improvement: 3.5x IOPS and 3.8x lower p50 latency at 4K sync T1, 8.4x throughput at "
        "4K sync T16.");
}

TEST_CASE("Without columns, those of the profile of the first and the last common row",
          "[compare][stages]") {
  const auto table =
      table_of({{test::original_slog_report(), test::original_slog_report()}, {"A", "B"}}, "");
  REQUIRE(table.ok());
  REQUIRE(table->titles.size() == 8);
  CHECK(table->titles.front() == "4K sync T1 IOPS");
  CHECK(table->titles.back() == "4K sync T16 p99 lat(us)");
  const auto one = table_of(test::log_devices(), "");
  REQUIRE(one.ok());
  CHECK(one->titles == std::vector<std::string>{"160M sync stream Seconds",
                                                "160M sync stream Bytes", "160M sync stream MB/s"});
  CHECK(line(one->rows[1]) == "Kingston: 13.72 | 335544320 | 24.45");
  CHECK(one->sentence == "Net improvement: 1.06x throughput at 160M sync stream.");
  CHECK(sentence(test::log_devices(), "stream seconds") ==
        "Net improvement: 1.06x less time at 160M sync stream.");
  const auto none = table_of({{Report{}, Report{}}, {"A", "B"}}, "");
  REQUIRE(none.ok());
  CHECK(none->titles.empty());
  CHECK(none->sentence.empty());
}

TEST_CASE("The sentence says what became worse, and where nothing is shown", "[compare][stages]") {
  const Labelled records = test::before_and_after();
  CHECK(sentence(records, "a/threads=1 iops, b/threads=1 iops, c/threads=1 iops") ==
        "Net change: 0.80x IOPS at row a/threads=1, 1.20x IOPS at row b/threads=1, no difference "
        "shown in IOPS at row c/threads=1.");
  CHECK(sentence(records, "a/threads=1 lat.p50") ==
        "Net change: 1.25x higher p50 latency at row a/threads=1.");
  CHECK(sentence(records, "c/threads=1 iops") ==
        "Net change: no difference shown in IOPS at row c/threads=1.");
  CHECK(sentence(records, "d/threads=1 iops") == "");
}

TEST_CASE("Both directions of a label are told apart", "[compare][stages]") {
  const Labelled records{{test::original_cdm_report(), test::original_cdm_report()}, {"A", "B"}};
  CHECK(sentence(records, "SEQ1M Q8T1/op=read bw, SEQ1M Q8T1/op=write bw") ==
        "Net change: 1.00x read throughput and 1.00x write throughput at SEQ1M Q8T1.");
}

TEST_CASE("Columns that name nothing are refused", "[compare][stages]") {
  CHECK(columns_fault("sync4k/threads=2 iops") ==
        "--columns \"sync4k/threads=2\": no record has a row \"sync4k/threads=2\"");
  CHECK(columns_fault(" ") == "--columns \" \": it names no figure");
  CHECK(
      columns_fault("sync4k/threads=1 iops, iops") ==
      "--columns \"sync4k/threads=1 iops, iops\": \"iops\" names no row, as sync4k/threads=1 iops "
      "does");
  CHECK(
      columns_fault("sync4k/threads=1 lat.p0") ==
      "--columns \"sync4k/threads=1 lat.p0\": \"lat.p0\" is no metric; there are iops, bw, bytes, "
      "seconds, lat.p50, lat.p99, lat.mean and more, as in sync4k/threads=1 lat.p99");
  CHECK(columns_fault("sync4k/threads=1 read iops") ==
        "--columns \"sync4k/threads=1\": the row \"sync4k/threads=1\" does no read");
}

TEST_CASE("A comma inside of an id separates nothing", "[compare][stages]") {
  const auto names = parse_columns("rnd/op=read,threads=4 iops, x y read lat.p99");
  REQUIRE(names.ok());
  REQUIRE(names->size() == 2);
  CHECK(names->at(0).row == "rnd/op=read,threads=4");
  CHECK(names->at(1).row == "x y");
  CHECK(names->at(1).op == Op::read);
  CHECK(names->at(1).metric == "lat.p99");
}

TEST_CASE("Notes that name nothing are refused", "[compare][stages]") {
  CHECK(note_fault("start: x") ==
        "--note \"start: x\": it does not begin with a label and a colon; there are DAPC (start), "
        "BIOS Performance, + kernel parameters, + performance governor");
  CHECK(note_fault("BIOS Performance: sync4k/threads=1 iops") ==
        "--note \"BIOS Performance: sync4k/threads=1 iops\": it has no \" = \", as 'before: "
        "sync4k/threads=16 iops = regressing' has");
  CHECK(
      note_fault("BIOS Performance: sync4k/threads=1 iops = ") ==
      "--note \"BIOS Performance: sync4k/threads=1 iops = \": it says nothing behind the \" = \"");
  CHECK(note_fault("BIOS Performance: iops = x") ==
        "--note \"BIOS Performance: iops = x\": \"iops\" names no row, as sync4k/threads=1 iops "
        "does");
  CHECK(note_fault("BIOS Performance: nine iops = x") ==
        "--note \"BIOS Performance: nine iops = x\": no record has a row \"nine\"");
  CHECK(
      note_fault("BIOS Performance: sync4k/threads=1 lat.p99 = x") ==
      "--note \"BIOS Performance: sync4k/threads=1 lat.p99 = x\": sync4k/threads=1 lat.p99 is not "
      "among the columns; --columns chooses them");
}

TEST_CASE("A label that is the beginning of another takes its own notes alone",
          "[compare][stages]") {
  Labelled records = four_stages();
  records.labels = {"a", "a: b", "c", "d"};
  const auto table = table_of(records, "sync4k/threads=1 iops",
                              {{"a: b: sync4k/threads=1 iops = x"}, {"a: 4K sync T1 iops = y"}});
  REQUIRE(table.ok());
  CHECK(line(table->rows[0]) == "a: 3050 (y)");
  CHECK(line(table->rows[1]) == "a: b: 5849 (x)");
}

}  // namespace sthd::compare
