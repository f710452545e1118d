#include "counted_report.hpp"
#include "support/catch.hpp"

namespace sthd::analyze {

using namespace test;

namespace {

constexpr double kJob = 1000 * 4096.0;

ResultRecord read_of(double device_bytes) {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  count_disk(record, 0, "sda", {.read_ios = 1000, .read_bytes = device_bytes, .read_ns = 700000});
  return record;
}

Verdict verdict_of(Report report) {
  judge(report);
  return report.records.at(0).verdict;
}

}  // namespace

TEST_CASE("Where the I/Os were served is judged by the disks' bytes", "[analyze][judge]") {
  for (const auto& [bytes, cache] : std::vector<std::pair<double, CacheClass>>{
           {kJob, CacheClass::device}, {kJob / 2, CacheClass::mixed}, {0, CacheClass::cache}}) {
    CHECK(verdict_of(report_of({read_of(bytes)})).cache_class == cache);
  }
  CHECK(verdict_of(report_of({measured(Op::read, 1, 1, 1000, 900000)})).cache_class ==
        CacheClass::unknown);
}

TEST_CASE("Mixed rows have the class of both directions", "[analyze][judge]") {
  ResultRecord record = measured(Op::mixed, 1, 1, 1000, 400000);
  count_disk(record, 0, "sda", {.read_bytes = kJob, .write_bytes = kJob});
  CHECK(verdict_of(report_of({record})).cache_class == CacheClass::device);
  record.loops[0].counters.clear();
  count_disk(record, 0, "sda", {.read_bytes = 0, .write_bytes = kJob});
  CHECK(verdict_of(report_of({record})).cache_class == CacheClass::mixed);
}

TEST_CASE("Durability is shown by a flush, and unknown where none was asked for",
          "[analyze][judge]") {
  ResultRecord record = durable(1000, 900000);
  count_disk(record, 0, "sda", {.write_ios = 1000, .write_bytes = kJob, .flush_ios = 1000});
  CHECK(verdict_of(report_of({record})).durability == Durability::shown);
  record.loops[0].counters.clear();
  CHECK(verdict_of(report_of({record})).durability == Durability::unknown);
  CHECK(verdict_of(report_of({read_of(kJob)})).durability == Durability::unknown);
  Report ram = report_of({record});
  ram.target.filesystem = "tmpfs";
  CHECK(verdict_of(ram).durability == Durability::not_shown);
}

TEST_CASE("The worst finding about a row decides how far it is trusted", "[analyze][judge]") {
  CHECK(verdict_of(report_of({read_of(kJob)})).validity == Validity::ok);
  ResultRecord record = read_of(kJob * 0.7);
  record.resolution.direct_effective = false;
  CHECK(verdict_of(report_of({record})).validity == Validity::suspect);
  CHECK(verdict_of(report_of({read_of(0)})).validity == Validity::invalid);
  Report report = report_of({read_of(kJob)});
  fact(report, "zfs.scrub", "running");  // about every row
  CHECK(verdict_of(report).validity == Validity::suspect);
}

TEST_CASE("Another row's finding leaves a row alone", "[analyze][judge]") {
  ResultRecord bad = read_of(0);
  bad.job.id = "bad";
  Report report = report_of({read_of(kJob), bad});
  judge(report);
  CHECK(report.records[0].verdict.validity == Validity::ok);
  CHECK(report.records[1].verdict.validity == Validity::invalid);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].code == "cached-reads");
}

TEST_CASE("A row that the devices served has layers", "[analyze][judge]") {
  CHECK(verdict_of(report_of({read_of(kJob)})).layers.size() == 3);
  CHECK(verdict_of(report_of({read_of(0)})).layers.empty());  // other I/Os than the application's
}

TEST_CASE("A row without figures has no verdict", "[analyze][judge]") {
  ResultRecord record = read_of(kJob);
  record.status = Status::failed;
  record.verdict.cache_class = CacheClass::device;
  const Verdict verdict = verdict_of(report_of({record}));
  CHECK(verdict.cache_class == CacheClass::unknown);
  CHECK(verdict.layers.empty());
}

}  // namespace sthd::analyze
