#include "sample_report.hpp"
#include "support/catch.hpp"

namespace sthd::analyze {

namespace {

ResultRecord buffered() {
  ResultRecord record = test::measured(Op::read, 1, 1, 1000, 100000);
  record.resolution.direct_effective = false;
  record.job.workload.direct = DirectMode::off;
  return record;
}

std::vector<Finding> said(const Report& report) {
  return test::said(report, "cached-reads-possible");
}
std::vector<Finding> said(const ResultRecord& record) { return said(test::report_of({record})); }

}  // namespace

TEST_CASE("Buffered reads may be RAM", "[analyze][buffered]") {
  const auto found = said(buffered());
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::note);
  CHECK(found[0].job == "j");
  CHECK(found[0].op == Op::read);
  CHECK(found[0].mark == "buffered: may be RAM");
  CHECK(found[0].text == "The reads were buffered: some or all may have come from RAM.");
  CHECK(found[0].remedy == "Use --direct, or a file larger than RAM.");
  CHECK(test::numbers(found[0]) == "read_bytes=4096000 file_bytes=1073741824");
}

TEST_CASE("Direct reads are not mentioned", "[analyze][buffered]") {
  ResultRecord record = buffered();
  record.resolution.direct_effective = true;
  CHECK(said(record).empty());
}

TEST_CASE("Buffered writes are no reads, the reads of a mixed job are", "[analyze][buffered]") {
  ResultRecord record = test::measured(Op::write, 1, 1, 1000, 100000);
  record.resolution.direct_effective = false;
  CHECK(said(record).empty());
  record = test::measured(Op::mixed, 1, 1, 1000, 100000);
  record.resolution.direct_effective = false;
  CHECK(said(record).size() == 1);
}

TEST_CASE("Nothing is said of reads that measured nothing", "[analyze][buffered]") {
  ResultRecord record = buffered();
  record.loops[0].read->bytes = 0;
  CHECK(said(record).empty());
  for (const auto& [status, count] : std::vector<std::pair<Status, std::size_t>>{
           {Status::interrupted, 1}, {Status::failed, 0}, {Status::skipped, 0}}) {
    record = buffered();
    record.status = status;
    CHECK(said(record).size() == count);
  }
}

TEST_CASE("The sentence on buffered reads knows what the cache held", "[analyze][buffered]") {
  ResultRecord record = buffered();
  CacheState& cache = record.loops[0].cache;
  cache = {CacheMode::warm, "read once", std::nullopt};
  CHECK(said(record).at(0).text ==
        "The reads were buffered and the file had been read before: they may have come from RAM.");
  cache = {CacheMode::cold, "posix_fadvise(DONTNEED)", true};
  CHECK(said(record).at(0).text ==
        "The reads were buffered: the cache was emptied first, but what was read twice may have "
        "come from RAM.");
  cache.verified.reset();
  CHECK(said(record).at(0).text ==
        "The reads were buffered, and whether the cache was empty before is not known (asked for "
        "by posix_fadvise(DONTNEED)): some or all may have come from RAM.");
}

TEST_CASE("O_DIRECT of unknown effect is mentioned where more than that is known",
          "[analyze][buffered]") {
  ResultRecord record = buffered();
  record.resolution.direct_effective.reset();
  Report report = test::report_of({record});
  report.target.filesystem = "fuse.sshfs";
  CHECK(said(report).at(0).text ==
        "Whether O_DIRECT went past the cache is not known: some of these reads may have come from "
        "RAM.");
  report.target.filesystem.clear();  // as of another program's figures
  CHECK(said(report).empty());
}

TEST_CASE("The remedy for buffered reads knows O_DIRECT, RAM and the file", "[analyze][buffered]") {
  ResultRecord record = buffered();
  Report report = test::report_of({record});
  report.environment.memory_bytes = 8 * kGiB - 1;
  CHECK(said(report).at(0).remedy == "Use --direct, or a file larger than RAM: --size 16GiB.");
  CHECK(test::numbers(said(report).at(0)) ==
        "read_bytes=4096000 file_bytes=1073741824 memory_bytes=8589934591");

  report.records[0].job.workload.direct = DirectMode::auto_;
  CHECK(said(report).at(0).remedy ==
        "O_DIRECT is not known to work here: use a file larger than RAM: --size 16GiB.");
  report.records[0].resolution.direct_reason = "tmpfs keeps everything in RAM";
  CHECK(said(report).at(0).remedy ==
        "O_DIRECT does not help here (tmpfs keeps everything in RAM): use a file larger than RAM: "
        "--size 16GiB.");

  report.records[0].job.workload.size = 16 * kGiB;
  CHECK(said(report).at(0).remedy ==
        "O_DIRECT does not help here (tmpfs keeps everything in RAM); the file is larger than RAM "
        "already, and at most 50 % of it fits.");
  report.records[0].job.workload.direct = DirectMode::off;
  CHECK(said(report).at(0).remedy ==
        "Use --direct; the file is larger than RAM already, and at most 50 % of it fits.");
}

TEST_CASE("On a filesystem in RAM no size is recommended", "[analyze][buffered]") {
  Report report = test::report_of({buffered()});
  report.environment.memory_bytes = 8 * kGiB;
  report.target.filesystem = "tmpfs";
  CHECK(said(report).at(0).text == "tmpfs keeps its files in RAM: these reads came from there.");
  CHECK(said(report).at(0).remedy == "Test a directory on the disk in question.");
}

TEST_CASE("Where the cache was not as asked, that alone is said", "[analyze][buffered]") {
  ResultRecord record = buffered();
  record.loops[0].cache = {CacheMode::cold, "", false};
  CHECK(said(record).empty());
  CHECK(analyze(test::report_of({record})).size() == 1);
}

}  // namespace sthd::analyze
