#include "kit/table/delta.hpp"

#include <map>
#include <string>
#include <vector>

#include "kit/table/fields.hpp"
#include "kit/table/table.hpp"
#include "support/catch.hpp"
#include "support/reports.hpp"

namespace sthd::table {
namespace {

using strings = std::vector<std::string>;

LoopResult loop(Op op, std::uint64_t ios, std::uint64_t elapsed_ns) {
  LoopResult result;
  OpResult figures;
  figures.ios = ios;
  figures.bytes = ios * 4096;
  figures.elapsed_ns = elapsed_ns;
  (op == Op::read ? result.read : result.write) = figures;
  return result;
}

ResultRecord record(const std::string& id, Op op, std::uint64_t iops,
                    const std::string& checks = "") {
  ResultRecord result;
  result.job.id = id;
  result.job.label = checks.empty() ? "4K" : "4K fio";
  result.job.checks = checks;
  result.job.workload.op = op;
  result.loops.push_back(loop(op, iops, kSecond));
  return result;
}

/// Ours at 1500 IOPS, fio at 1000.
Report checked_report(const std::vector<Op>& ops) {
  Report report;
  for (const Op op : ops) {
    const std::string id(to_text(op));
    report.records.push_back(record(id, op, 1500));
    report.records.push_back(record(id + "/check=fio-exec", op, 1000, id));
    report.columns.push_back({id, id, "iops", op, "", 0});
  }
  for (const ResultRecord& one : report.records) report.plan.jobs.push_back(one.job);
  return report;
}

strings texts(const Row& row) {
  strings result;
  for (const Cell& cell : row.cells) result.push_back(cell.text);
  return result;
}

TEST_CASE("The difference is of the rates, in percent of fio's", "[table][delta]") {
  Report report = checked_report({Op::write});
  CHECK(ours_vs_fio_percent(report, report.records[1], Op::write) == 50.0);
  report.records[0] = record("write", Op::write, 750);
  CHECK(ours_vs_fio_percent(report, report.records[1], Op::write) == -25.0);
}

TEST_CASE("All loops of both sides count", "[table][delta]") {
  Report report = checked_report({Op::write});
  report.records[0].loops.push_back(loop(Op::write, 4500, 3 * kSecond));  // 1500 a second still
  report.records[1].loops.push_back(loop(Op::write, 2000, kSecond));      // 1500 a second together
  CHECK(ours_vs_fio_percent(report, report.records[1], Op::write) == 0.0);
}

TEST_CASE("Where one side is missing, unfinished or not a twin there is no difference",
          "[table][delta]") {
  const Report good = checked_report({Op::write});
  const auto none = [](const Report& report, std::size_t of) {
    return !ours_vs_fio_percent(report, report.records[of], Op::write).has_value();
  };
  CHECK(none(good, 0));
  CHECK_FALSE(ours_vs_fio_percent(good, good.records[1], Op::read).has_value());
  for (const std::size_t side : {0U, 1U}) {
    for (const Status status : {Status::interrupted, Status::failed, Status::skipped}) {
      Report report = good;
      report.records[side].status = status;
      CHECK(none(report, 1));
    }
    Report report = good;
    report.records[side].loops.clear();
    CHECK(none(report, 1));
  }
  Report report = good;
  report.records.erase(report.records.begin());
  CHECK(none(report, 0));
}

TEST_CASE("The table shows the difference on the twin's row, right below ours", "[table][delta]") {
  const Table table = build(checked_report({Op::write}));
  CHECK(table.titles == strings{"write", "ours vs fio (%)"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].label == "4K");
  CHECK(texts(table.rows[0]) == strings{"1500", ""});
  CHECK(table.rows[1].label == "4K fio");
  CHECK(texts(table.rows[1]) == strings{"1000", "+50.0"});
  CHECK(table.facts ==
        strings{"vs fio: (our IOPS / fio's - 1) in percent, ours from the row above"});
}

TEST_CASE("Reads and writes have a column each", "[table][delta]") {
  Report report = checked_report({Op::read, Op::write});
  report.records[2] = record("write", Op::write, 999);
  const Table table = build(report);
  CHECK(table.titles == strings{"read", "write", "Read vs fio (%)", "Write vs fio (%)"});
  REQUIRE(table.rows.size() == 2);
  CHECK(texts(table.rows[1]) == strings{"1000", "1000", "+50.0", "-0.1"});
}

TEST_CASE("What rounds to nothing has no minus", "[table][delta]") {
  Report report = checked_report({Op::write});
  report.records[0] = record("write", Op::write, 99'999);
  report.records[1] = record("write/check=fio-exec", Op::write, 100'000, "write");
  CHECK(texts(build(report).rows[1]) == strings{"100000", "+0.0"});
}

TEST_CASE("The columns stand before the first row is there, and only in a cross-check",
          "[table][delta]") {
  Report report = checked_report({Op::read, Op::write});
  report.records.clear();
  CHECK(build(report).titles.size() == 4);
  CHECK(delta_columns(test::ok_report()).empty());
}

TEST_CASE("csv names the job that a twin checks, and the difference", "[table][delta]") {
  const Report report = checked_report({Op::write});
  std::map<std::string, std::string> ours;
  std::map<std::string, std::string> twin;
  for (const Field& field : fields(report, report.records[0], Op::write))
    ours[field.name] = field.text;
  for (const Field& field : fields(report, report.records[1], Op::write))
    twin[field.name] = field.text;
  CHECK(ours["checks"].empty());
  CHECK(ours["ours_vs_fio_percent"].empty());
  CHECK(twin["checks"] == "write");
  CHECK(twin["ours_vs_fio_percent"] == "50");
}

}  // namespace
}  // namespace sthd::table
