#include "runner/analyze/expectations.hpp"

#include "counted_report.hpp"
#include "support/catch.hpp"

namespace sthd::analyze {

using namespace test;

namespace {

/// One row "j" of 1000 writes a second, each of 100 us.
Report report_with(std::vector<Expectation> expectations) {
  Report report = report_of({measured(Op::write, 1, 1, 1000, 100'000)});
  report.plan.jobs = {report.records[0].job};
  report.expectations = std::move(expectations);
  for (Expectation& each : report.expectations) each.jobs = {"j"};
  return report;
}

Expectation expectation(ExpectKind kind, std::vector<ExpectedRange> ranges) {
  Expectation result{"e", kind, {}, {}, "a page", "Do something.", std::move(ranges)};
  return result;
}

Expected verdict(ExpectKind kind, const ExpectedRange& range) {
  return judgements_of(report_with({expectation(kind, {range})})).at(0).verdict;
}

/// The only judgement's "verdict: reason".
std::string outcome(const Report& report) {
  const std::vector<Judgement> judgements = judgements_of(report);
  if (judgements.size() != 1) return std::to_string(judgements.size()) + " judgements";
  return std::string(to_text(judgements[0].verdict)) + ": " + judgements[0].reason;
}

}  // namespace

TEST_CASE("A figure is as expected within both ends", "[analyze][expect]") {
  const ExpectKind healthy = ExpectKind::healthy;
  CHECK(verdict(healthy, {"iops", 1000, 2000, {}}) == Expected::met);
  CHECK(verdict(healthy, {"iops", 500, 1000, {}}) == Expected::met);
  CHECK(verdict(healthy, {"iops", 1001, 2000, {}}) == Expected::missed);
  CHECK(verdict(healthy, {"iops", 500, 999, {}}) == Expected::missed);
  CHECK(verdict(healthy, {"iops", 1000, {}, {}}) == Expected::met);
  CHECK(verdict(healthy, {"iops", {}, 999, {}}) == Expected::missed);
  CHECK(verdict(ExpectKind::require, {"lat.max", {}, 100'000, {}}) == Expected::met);
  CHECK(verdict(ExpectKind::require, {"lat.max", {}, 99'999, {}}) == Expected::missed);
  CHECK(verdict(healthy, {"bw", 4'096'000, 4'096'000, {}}) == Expected::met);
}

TEST_CASE("More than a quarter better than the maker says is suspicious", "[analyze][expect]") {
  const ExpectKind vendor = ExpectKind::vendor_spec;
  CHECK(verdict(vendor, {"iops", 900, {}, 1000}) == Expected::met);
  CHECK(verdict(vendor, {"iops", 1001, {}, 1112}) == Expected::missed);
  CHECK(verdict(vendor, {"iops", 720, {}, 800}) == Expected::met);
  CHECK(verdict(vendor, {"iops", 711, {}, 790}) == Expected::above);
  CHECK(verdict(vendor, {"lat.max", {}, 137'500, 125'000}) == Expected::met);
  CHECK(verdict(vendor, {"lat.max", {}, 137'610, 125'100}) == Expected::above);
  CHECK(verdict(vendor, {"lat.max", {}, 99'000, 90'000}) == Expected::missed);
}

TEST_CASE("A row without the figure is not judged, and says why", "[analyze][expect]") {
  const auto with = [](const char* metric) {
    return report_with({expectation(ExpectKind::require, {{metric, 1, {}, {}}})});
  };
  CHECK(outcome(with("sync.p99")) == "unknown: the row has no sync.p99");
  CHECK(outcome(with("lat.p99_99")) == "unknown: the row has no lat.p99_99");
  Report report = with("iops");
  CHECK(outcome(report) == "met: ");
  report.records[0].status = Status::skipped;
  report.records[0].reason = "no engine works";
  CHECK(outcome(report) == "unknown: skipped: no engine works");
  report.records[0].status = Status::failed;
  report.records[0].reason.reset();
  CHECK(outcome(report) == "unknown: failed");
  report.records[0].status = Status::interrupted;
  CHECK(outcome(report) == "unknown: interrupted");
  report.records.clear();
  CHECK(outcome(report) == "unknown: the row has not been run");
  report.plan.jobs.clear();
  CHECK(outcome(report) == "0 judgements");
}

TEST_CASE("What is about other machines says nothing; what may be is unknown",
          "[analyze][expect]") {
  Report report = report_with({expectation(ExpectKind::healthy, {{"iops", 5000, {}, {}}})});
  report.expectations[0].only_if = {{"filesystem", "zfs"}};
  CHECK(outcome(report) == "unknown: it is not known whether filesystem is zfs");
  CHECK(said(report, "expectation-missed").empty());
  fact(report, "target.filesystem", "ext4");
  CHECK(outcome(report) == "0 judgements");
  report.expectations[0].only_if[0].glob = "ext*";
  CHECK(outcome(report) == "missed: ");
}

TEST_CASE("A mixed row is judged by both directions together", "[analyze][expect]") {
  Report report = report_with({expectation(ExpectKind::healthy, {{"iops", 2000, 2000, {}}})});
  report.records = {measured(Op::mixed, 1, 1, 1000, 100'000)};
  report.plan.jobs = {report.records[0].job};
  CHECK(outcome(report) == "met: ");
  CHECK(judgements_of(report)[0].op == Op::mixed);
  report.expectations[0].ranges[0].low = 2001;
  CHECK_FALSE(only(report, "expectation-missed").op);
}

TEST_CASE("Repeats are judged by what stands for the row", "[analyze][expect]") {
  Report report = report_with({expectation(ExpectKind::healthy, {{"iops", 2000, 2000, {}}})});
  ResultRecord& record = report.records[0];
  for (const std::uint64_t ios : {2000, 9000}) {
    record.loops.push_back(measured(Op::write, 1, 1, ios, 100'000).loops[0]);
    record.loops.back().repeat = static_cast<std::uint32_t>(record.loops.size() - 1);
  }
  record.job.workload.repeat = 3;
  CHECK(judgements_of(report)[0].value == 2000);
}

TEST_CASE("judge() keeps the judgements, in the order of expectations, jobs and ranges",
          "[analyze][expect]") {
  Report report =
      report_with({expectation(ExpectKind::healthy, {{"iops", 1, {}, {}}, {"bw", 1, {}, {}}}),
                   expectation(ExpectKind::require, {{"lat.p50", 1, {}, {}}})});
  report.judgements.resize(7);
  judge(report);
  std::string order;
  for (const Judgement& judgement : report.judgements) order += judgement.range.metric + " ";
  CHECK(order == "iops bw lat.p50 ");
}

TEST_CASE("All that an expectation misses on a row is one note with its remedy",
          "[analyze][expect]") {
  const Report report = report_with({expectation(
      ExpectKind::healthy,
      {{"iops", 15'000, 25'000, {}}, {"bw", 1, {}, {}}, {"lat.p50", 40'000, 65'000, {}}})});
  const Finding finding = only(report, "expectation-missed");
  CHECK(line(finding) ==
        "note j write Not as \"e\" expects: iops 1000, not 15000 to 25000; lat.p50 100.0 us, not "
        "40.0 us to 65.0 us. | Do something.");
  CHECK(numbers(finding) ==
        "iops=1000 iops_low=15000 iops_high=25000 lat.p50_ns=100000 lat.p50_low_ns=40000 "
        "lat.p50_high_ns=65000");
  CHECK(finding.evidence[0].name == "expectation");
  CHECK(finding.evidence[1].name == "kind");
  CHECK(finding.evidence[2].name == "source");
}

TEST_CASE("Each expectation that is missed is a note of its own", "[analyze][expect]") {
  Expectation other = expectation(ExpectKind::require, {{"bw", 1e9, {}, {}}});
  other.id = "f";
  other.source.clear();
  other.remedy.clear();
  const Report report =
      report_with({expectation(ExpectKind::vendor_spec, {{"iops", 4500, {}, 5000}}), other});
  const std::vector<Finding> found = said(report, "expectation-missed");
  REQUIRE(found.size() == 2);
  CHECK(line(found[0]) ==
        "note j write Not as \"e\" expects: iops 1000, not at least 4500 (spec 5000). | Do "
        "something.");
  CHECK(line(found[1]) ==
        "note j write Not as \"f\" expects: bw 4.10 MB/s, not at least 1000.00 MB/s.");
  CHECK(numbers(found[1]) == "bw_bytes_per_s=4096000 bw_low_bytes_per_s=1000000000");
}

TEST_CASE("Far better than the maker says is suspect, whatever else is said", "[analyze][expect]") {
  Report report = report_with({expectation(
      ExpectKind::vendor_spec, {{"iops", 90, {}, 100}, {"lat.max", {}, 880'000, 800'000}})});
  const std::vector<Finding> found = said(report, "above-spec");
  REQUIRE(found.size() == 2);
  CHECK(line(found[0]) ==
        "suspect j write [above spec] iops 1000 is 10.0 times better than the maker says (100): "
        "likely a cache, too short a test, or data that compresses. | Measure more than any cache "
        "holds, and until the rate stays (--size 100GiB --runtime 10m), with data that does not "
        "compress (buffer = \"random\").");
  CHECK(numbers(found[0]) == "times_better=10");
  CHECK(
      line(found[1]).find("lat.max 100.0 us is 8.0 times better than the maker says (800.0 us)") !=
      std::string::npos);
  CHECK(said(report, "expectation-missed").empty());
  judge(report);
  CHECK(report.records[0].verdict.validity == Validity::suspect);
}

}  // namespace sthd::analyze
