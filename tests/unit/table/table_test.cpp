#include "kit/table/table.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "sthd/text.hpp"
#include "support/catch.hpp"
#include "support/reports.hpp"

namespace sthd::table {
namespace {

using strings = std::vector<std::string>;

/// "12.34 [1]" of each cell: text, then mark.
strings texts(const std::vector<Cell>& cells) {
  strings result;
  for (const Cell& cell : cells) {
    result.push_back(cell.text + (cell.mark == 0 ? "" : " " + mark_text(cell.mark)));
  }
  return result;
}

strings labels(const Table& table) {
  strings result;
  for (const Row& row : table.rows) result.push_back(row.label);
  return result;
}

TEST_CASE("Read and write of one label share a row", "[table]") {
  const Table table = build(test::original_cdm_report());
  CHECK(labels(table) == strings{"SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q32T16"});
  CHECK(table.titles == strings{"Read (MB/s)", "Write (MB/s)", "Read (IOPS)", "Write (IOPS)"});
  CHECK(texts(table.rows[0].cells) == strings{"7206.86", "9.44", "6873", "9"});
  CHECK(texts(table.rows[1].cells) == strings{"1686.11", "20.97", "1608", "20"});
  CHECK(texts(table.rows[2].cells) == strings{"564.13", "11.32", "137728", "2764"});
  CHECK(texts(table.rows[3].cells) == strings{"722.47", "273.68", "176384", "66816"});
  CHECK(table.footnotes.empty());
}

TEST_CASE("Rows that did not go well say so, once, with the reason below", "[table]") {
  const Table table = build(test::mixed_report());
  CHECK(labels(table) == strings{"SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "not run yet"});
  CHECK(texts(table.rows[0].cells) == strings{"104.86 [1]", "skipped [2]", "100 [1]", "", ""});
  CHECK(texts(table.rows[1].cells) == strings{"failed [3]", "20.97", "", "20", "~0.185"});
  CHECK(texts(table.rows[1].remarks) == strings{"write interrupted [4]"});
  CHECK(texts(table.rows[2].cells) == strings{"", "1.23 [5]", "", "300 [5]", "~0.185 [5]"});
  CHECK(texts(table.rows[3].cells) == strings{"", "", "", "", ""});
  CHECK(table.footnotes == strings{"may be RAM; reached depth 1.1 of 8",
                                   "skipped: tmpfs has no O_DIRECT and direct = \"required\"",
                                   "failed: pread at offset 4096: Input/output error (EIO)",
                                   "interrupted: SIGINT after 2.5s", "may be RAM"});
}

TEST_CASE("Three findings are shown whole, the worst first, the others counted", "[table]") {
  const Table table = build(test::mixed_report());
  CHECK(table.findings ==
        strings{"invalidates: RND4K Q32T1 write: 84 % of the writes never reached the device. Do "
                "something about it.",
                "suspect: SEQ1M Q8T1 read and SEQ1M Q1T1 read: The reads were buffered. Do "
                "something about it.",
                "note: The CPU was a quarter asleep. Do something about it.", "+3 notes"});
}

TEST_CASE("What ran is said in few lines", "[table]") {
  const Table table = build(test::mixed_report());
  CHECK(table.facts ==
        strings{"native-psync, engine psync, O_DIRECT yes: ext4 passes direct I/O to the device "
                "(SEQ1M Q8T1 read and 2 more)",
                "native-psync, engine psync, O_DIRECT no: data=journal buffers it (SEQ1M Q1T1 "
                "write)",
                "team on /mnt/pool (ext4) took 1m4s"});
  const Table ok = build(test::ok_report());
  CHECK(ok.facts == strings{"native-psync, engine psync, O_DIRECT yes: ext4 passes direct I/O to "
                            "the device",
                            "queue depth served by 32 threads (RND4K Q32T1 read and RND4K Q32T1 "
                            "write)",
                            "cdm on /mnt/pool (ext4) took 1m4s"});
}

TEST_CASE("More kinds of jobs than lines are counted", "[table]") {
  Report report = test::original_slog_report();
  for (ResultRecord& record : report.records) {
    record.resolution.engine = "psync" + record.job.label;
    record.resolution.direct_effective.reset();
    record.resolution.direct_reason.clear();
    record.resolution.backend_version = "9.1";
  }
  report.elapsed_ns.reset();
  CHECK(build(report).facts ==
        strings{"native-psync (9.1), engine psync4K sync T1, O_DIRECT unknown (4K sync T1 write)",
                "native-psync (9.1), engine psync4K sync T4, O_DIRECT unknown (4K sync T4 write)",
                "native-psync (9.1), engine psync4K sync T8, O_DIRECT unknown (4K sync T8 write)",
                "+1 more",
                std::string("no findings; checked: queue depth, CPU time; not known here: ") +
                    "RAM in place of the device, steadiness, power saving, other load, durability",
                "slog on /mnt/pool (ext4)"});
}

TEST_CASE("A column without an op means the row's only direction", "[table]") {
  Report report = test::ok_report();
  report.columns = {{"iops", "", "iops", std::nullopt, "", 0}};
  CHECK(build(report).titles == strings{"iops"});
  CHECK(texts(build(report).rows[0].cells) == strings{""});  // two directions
  report.records.resize(1);
  CHECK(texts(build(report).rows[0].cells) == strings{""});  // the other is still to come
  report.plan.jobs.resize(1);
  CHECK(texts(build(report).rows[0].cells) == strings{"3000"});
}

TEST_CASE("A mixed job fills the columns of both directions", "[table]") {
  Report report = test::ok_report();
  ResultRecord record = report.records[0];
  record.job.workload.op = Op::mixed;
  record.loops[0].write = report.records[2].loops[0].write;
  report.records = {record};
  report.plan.jobs = {record.job};
  report.findings.clear();
  report.columns.push_back({"all", "All", "iops", std::nullopt, "", 0});
  const strings cells = texts(build(report).rows[0].cells);
  CHECK(cells.size() == 5);
  CHECK(cells[0] == "3145.73");
  CHECK(cells[2] == "3000");
  CHECK_FALSE(cells[3].empty());
  CHECK(std::stoi(cells[4]) == std::stoi(cells[2]) + std::stoi(cells[3]));
}

TEST_CASE("A job whose direction has no column is named beside its row", "[table]") {
  Report report = test::mixed_report();
  report.columns = {{"r", "Read", "iops", Op::read, "", 0}};
  const Table table = build(report);
  CHECK(texts(table.rows[0].remarks) == strings{"write skipped [2]"});
  CHECK(texts(table.rows[1].cells) == strings{"failed [3]"});
}

TEST_CASE("Each row whose layers are known says where its time went", "[table]") {
  Report report = test::ok_report();
  for (ResultRecord& record : report.records) record.verdict = {};
  report.records[1].verdict.layers = {{"application", 1'999'000}, {"device\n", 19'100}};
  CHECK(build(report).layers ==
        strings{"RND4K Q32T1 read: application 1999.0 us, " + display("device\n") + " 19.1 us"});
}

TEST_CASE("What rows that took turns showed is listed, however many findings there are",
          "[table]") {
  Report report = test::ok_report();
  report.findings.assign(5, {.code = "nearly-full", .severity = Severity::suspect, .text = "x"});
  report.findings.push_back({.code = "measured-effect", .text = "One."});
  report.findings.push_back({.code = "measured-effect", .text = "Two."});
  CHECK(build(report).effects == strings{"One.", "Two."});
  CHECK(build(test::ok_report()).effects.empty());
}

TEST_CASE("A row that was measured repeatedly shows the median and half of the range",
          "[table][repeat]") {
  Report report = test::repeated_report();
  report.columns.resize(2);
  Table table = build(report);
  CHECK(table.repeats);
  CHECK(texts(table.rows[0].cells) == strings{"10000 ±2.5%", "40.96 ±2.5%"});
  CHECK(texts(table.rows[1].cells) == strings{"30500 ±34.4%", "124.93 ±34.4%"});
  CHECK(texts(table.rows[1].remarks) == strings{"interrupted [1]"});
  CHECK(texts(table.rows[2].cells) == strings{"skipped [2]", ""});
  CHECK_FALSE(build(test::ok_report()).repeats);
  // Of one whole repeat there is no spread; of none, what was measured stands.
  report.records[1].loops.resize(1);
  CHECK(texts(build(report).rows[1].cells) == strings{"20000", "81.92"});
  report.records[1].loops[0].repeat = 1;
  report.records[1].job.workload.loops = 2;
  CHECK(texts(build(report).rows[1].cells) == strings{"20000", "81.92"});
}

TEST_CASE("A spread that is as large as the figure has no decimals", "[table][repeat]") {
  Report report = test::repeated_report();
  report.columns.resize(1);
  report.records[0].loops[0].write->ios = 1;
  CHECK(build(report).rows[0].cells[0].spread == "±52.5%");
  report.records[0].loops[2].write->ios = 1'000'000;
  CHECK(build(report).rows[0].cells[0].spread == "±962%");
  for (LoopResult& loop : report.records[0].loops) loop.write->elapsed_ns = 0;
  CHECK(build(report).rows[0].cells[0].text.empty());
}

/// The canned report with the best repeat of each row for its score.
Report best_report() {
  Report report = test::repeated_report();
  for (Job& job : report.plan.jobs) job.workload.score = Score::max;
  for (ResultRecord& record : report.records) record.job.workload.score = Score::max;
  return report;
}

TEST_CASE("A row whose best repeat stands for it shows that alone, and says so",
          "[table][repeat][score]") {
  Report report = best_report();
  report.columns.resize(2);
  const Table table = build(report);
  CHECK_FALSE(table.repeats);
  CHECK(texts(table.rows[0].cells) == strings{"10400", "42.60"});
  CHECK(texts(table.rows[1].cells) == strings{"41000", "167.94"});
  const auto says = [](const Table& of, const std::string& fact) {
    return std::find(of.facts.begin(), of.facts.end(), fact) != of.facts.end();
  };
  const std::string text = "all figures are those of the repeat with the most IOPS";
  CHECK(says(table, "best of 3: " + text + " (as-is write)"));
  CHECK(says(table, "best of 2: " + text + " (cores-awake write)"));
  // One whole repeat is the best of nothing.
  report.records[1].loops.resize(1);
  CHECK_FALSE(says(build(report), "best of 1: " + text + " (cores-awake write)"));
  CHECK(says(build(report), "best of 3: " + text + " (as-is write)"));
  CHECK_FALSE(says(build(test::repeated_report()), "best of 3: " + text + " (as-is write)"));
}

TEST_CASE("Where all rows show their best repeat it is said once", "[table][repeat][score]") {
  Report report = best_report();
  report.records.resize(1);
  const Table table = build(report);
  CHECK(std::count(table.facts.begin(), table.facts.end(),
                   "best of 3: all figures are those of the repeat with the most IOPS") == 1);
}

TEST_CASE("The table of an empty report is empty", "[table]") {
  const Table table = build(Report{});
  CHECK(table.titles.empty());
  CHECK(table.rows.empty());
  CHECK(table.footnotes.empty());
  CHECK(table.findings.empty());
  CHECK(table.facts.empty());
  CHECK(table.layers.empty());
}

}  // namespace
}  // namespace sthd::table
