#include "runner/compare/match.hpp"

#include <algorithm>

#include "runner/compare/compare.hpp"
#include "support/catch.hpp"
#include "support/comparisons.hpp"
#include "support/repeated_row.hpp"

namespace sthd::compare {
namespace {

using test::before_and_after;
using test::Labelled;

Input input_of(const Labelled& records) { return {records.reports, records.labels}; }

std::vector<std::string> reasons(const Labelled& records) {
  std::vector<std::string> texts;
  for (const NotCompared& row : match_rows(input_of(records)).others) {
    texts.push_back(row.label + ": " + row.reason);
  }
  return texts;
}

/// What the two workloads differ in, after `change` of the second.
template <class F>
std::string changed(F change) {
  Workload first;
  Workload second;
  change(second);
  return work_difference(first, second, "A", "B");
}

}  // namespace

TEST_CASE("Rows are paired by their ids, and what has no pair says why", "[compare][match]") {
  const Labelled records = before_and_after();
  const Matches matches = match_rows(input_of(records));
  REQUIRE(matches.rows.size() == 3);
  for (const Match& row : matches.rows) CHECK(row.sides[1]->job.id == row.first().job.id);
  CHECK(reasons(records) ==
        std::vector<std::string>{"row d/threads=1: block_size 4096 in before, 8192 in after",
                                 "row gone: not in after", "row new: only in after"});
}

TEST_CASE("A row without figures is not compared, an interrupted one is", "[compare][match]") {
  Labelled records = before_and_after();
  records.reports[0].records[0].status = Status::skipped;
  records.reports[0].records[0].reason = "tmpfs has no O_DIRECT";
  records.reports[1].records[1].status = Status::failed;
  records.reports[1].records[2].status = Status::interrupted;
  const auto all = reasons(records);
  CHECK(all.at(0) == "row a/threads=1: skipped in before: tmpfs has no O_DIRECT");
  CHECK(all.at(1) == "row b/threads=1: failed in after");
  const Matches matches = match_rows(input_of(records));
  REQUIRE(matches.rows.size() == 1);
  CHECK(matches.rows[0].first().job.id == "c/threads=1");
}

TEST_CASE("Of three sides those that did the same work are compared", "[compare][match]") {
  Labelled records = before_and_after();
  records.reports.push_back(records.reports[0]);
  records.labels.emplace_back("again");
  const Matches matches = match_rows(input_of(records));
  REQUIRE(matches.rows.size() == 5);
  CHECK(matches.rows[3].sides[1] == nullptr);  // another block size
  CHECK(matches.rows[3].sides[2] != nullptr);
  const Comparison comparison = compare(input_of(records));
  const auto row = std::find_if(comparison.rows.begin(), comparison.rows.end(),
                                [](const ComparedRow& each) { return each.job == "d/threads=1"; });
  REQUIRE(row != comparison.rows.end());
  CHECK(row->values[0] == 2000.0);
  CHECK_FALSE(row->values[1]);
  CHECK(row->values[2] == 2000.0);
  CHECK(row->ratios[0].change == Change::unknown);
  CHECK(row->ratios[1].change == Change::none_shown);
}

TEST_CASE("What makes it other work is named, how long and how often does not",
          "[compare][match]") {
  CHECK(changed([](Workload& w) { w.op = Op::write; }) == "op read in A, write in B");
  CHECK(changed([](Workload& w) { w.pattern = Pattern::random; }) ==
        "pattern sequential in A, random in B");
  CHECK(changed([](Workload& w) { w.queue_depth = 4; }) == "queue_depth 1 in A, 4 in B");
  CHECK(changed([](Workload& w) { w.threads = 2; }) == "threads 1 in A, 2 in B");
  CHECK(changed([](Workload& w) { w.sync = SyncMode::o_sync; }) == "sync none in A, o_sync in B");
  CHECK(changed([](Workload& w) { w.cache = CacheMode::cold; }) == "cache as_is in A, cold in B");
  CHECK(changed([](Workload& w) { w.end_fsync = true; }) == "end_fsync false in A, true in B");
  CHECK(changed([](Workload& w) { w.region = Region::same; }) == "region auto in A, same in B");
  CHECK(changed([](Workload& w) { w.layout = Layout::none; }) == "layout full in A, none in B");
  CHECK(changed([](Workload& w) { w.buffer = BufferKind::zeros; }) ==
        "buffer random in A, zeros in B");
  CHECK(changed([](Workload& w) { w.rate_iops = 500; }) == "rate_iops none in A, 500 in B");
  CHECK(changed([](Workload& w) {
          w.distribution = Distribution::zipf;
          w.zipf_theta = 0.99;
        }) == "distribution uniform in A, zipf:0.99 in B");
  CHECK(changed([](Workload& w) { w.read_percent = 10; }) == "");
  CHECK(changed([](Workload& w) {
          w.block_size = 8192;
          w.threads = 2;
        }) == "block_size 4096 in A, 8192 in B; threads 1, 2");
  CHECK(changed([](Workload& w) {
          w.runtime_ns = w.ramp_ns = w.interval_ns = kSecond;
          w.loops = w.repeat = 3;
          w.ios = w.bytes = w.size = 1;
          w.score = Score::max;
          w.order = Order::grouped;
          w.direct = DirectMode::required;
          w.condition = Condition::cores_busy;
          w.engines = {"psync"};
        }) == "");
  Workload mixed;
  mixed.op = Op::mixed;
  Workload other = mixed;
  other.read_percent = 50;
  CHECK(work_difference(mixed, other, "A", "B") == "read_percent 70 in A, 50 in B");
}

TEST_CASE("Seconds and bytes of different amounts of work have no ratio, MB/s have",
          "[compare][match]") {
  const Labelled records = test::log_devices();
  const Comparison comparison = compare(input_of(records));
  REQUIRE(comparison.rows.size() == 3);
  CHECK(comparison.not_compared.empty());
  CHECK(*comparison.rows[0].values[1] == Approx(13.72).margin(0.01));
  CHECK(comparison.rows[1].values[1] == 335'544'320.0);
  CHECK_FALSE(comparison.rows[0].ratios[0].ratio);
  CHECK_FALSE(comparison.rows[1].ratios[0].ratio);
  CHECK(*comparison.rows[2].ratios[0].ratio == Approx(24.4539 / 189.1789).epsilon(1e-4));
  CHECK(*comparison.rows[0].ratios[1].ratio == Approx(83.3187 / 88.6844).epsilon(1e-4));
}

TEST_CASE("Nothing compared with nothing is an empty comparison", "[compare]") {
  const Comparison nothing = compare({});
  CHECK(nothing.sides.empty());
  CHECK(nothing.rows.empty());
  const std::vector<Report> reports(2);
  const std::vector<std::string> labels{"A", "B"};
  const Comparison empty = compare({reports, labels});
  CHECK(empty.sides.size() == 2);
  CHECK(empty.differences.empty());
  CHECK(empty.rows.empty());
}

}  // namespace sthd::compare
