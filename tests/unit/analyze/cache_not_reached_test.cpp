#include "sample_report.hpp"
#include "support/catch.hpp"

namespace sthd::analyze {

namespace {

ResultRecord not_cold(std::string reached_by) {
  ResultRecord record = test::measured(Op::read, 1, 1, 1000, 100000);
  record.resolution.direct_effective = false;
  record.job.workload.direct = DirectMode::off;
  record.loops[0].cache = {CacheMode::cold, std::move(reached_by), false};
  return record;
}

std::vector<Finding> said(const Report& report) { return test::said(report, "cache-not-reached"); }
std::vector<Finding> said(const ResultRecord& record) { return said(test::report_of({record})); }

}  // namespace

TEST_CASE("A cold read that was not cold is suspect", "[analyze][cache]") {
  const auto found = said(not_cold("posix_fadvise(DONTNEED)"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::suspect);
  CHECK(found[0].job == "j");
  CHECK(found[0].op == Op::read);
  CHECK(found[0].mark == "cache not cold");
  CHECK(found[0].text ==
        "A cold cache was asked for, but parts of the file stayed in RAM "
        "(posix_fadvise(DONTNEED)): some or all of these reads may have come from there.");
  CHECK(found[0].remedy == "Use --direct, or a file larger than RAM.");
  CHECK(said(not_cold("")).at(0).text ==
        "A cold cache was asked for and could not be had: some or all of these reads may have come "
        "from RAM.");
}

TEST_CASE("On a filesystem in RAM there is no cold read, whatever the size", "[analyze][cache]") {
  Report report = test::report_of({not_cold("")});
  report.environment.memory_bytes = 8 * kGiB;
  report.target.filesystem = "tmpfs";
  CHECK(said(report).at(0).text ==
        "A cold cache was asked for, but tmpfs keeps its files in RAM: these reads came from "
        "there.");
  CHECK(said(report).at(0).remedy == "Test a directory on the disk in question.");
}

TEST_CASE("A warm read that was not warm is noted", "[analyze][cache]") {
  ResultRecord record = not_cold("read once");
  record.loops[0].cache.asked = CacheMode::warm;
  const auto found = said(record);
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::note);
  CHECK(found[0].mark == "cache not warm");
  CHECK(found[0].text ==
        "A warm cache was asked for, but not all of the file was in RAM: these reads came partly "
        "from RAM, partly from the device.");
  CHECK(found[0].remedy == "Use a file that fits into RAM: --size.");
}

TEST_CASE("Of a cache that was reached, or is not known, or does not matter, nothing is said",
          "[analyze][cache]") {
  ResultRecord record = not_cold("");
  record.resolution.direct_effective = true;
  CHECK(said(record).empty());
  for (const auto& verified : {std::optional(true), std::optional<bool>()}) {
    record = not_cold("posix_fadvise(DONTNEED)");
    record.loops[0].cache.verified = verified;
    CHECK(said(record).empty());
  }
  record = not_cold("");
  record.loops[0].cache.asked = CacheMode::as_is;
  CHECK(said(record).empty());
  record = test::measured(Op::write, 1, 1, 1000, 100000);
  record.resolution.direct_effective = false;
  record.loops[0].cache = {CacheMode::cold, "", false};
  CHECK(said(record).empty());
}

TEST_CASE("One loop that was not cold is enough", "[analyze][cache]") {
  ResultRecord record = not_cold("posix_fadvise(DONTNEED)");
  record.loops.insert(record.loops.begin(), record.loops[0]);
  record.loops[0].cache.verified = true;
  CHECK(said(record).size() == 1);
}

}  // namespace sthd::analyze
