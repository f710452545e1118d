#include "sample_report.hpp"
#include "support/catch.hpp"

namespace sthd::analyze {

namespace {

using test::measured;

std::vector<Finding> depth(const ResultRecord& record) {
  return test::said(test::report_of({record}), "depth-collapsed");
}

}  // namespace

TEST_CASE("A depth that collapsed is shown with its numbers", "[analyze][depth]") {
  ResultRecord record = measured(Op::read, 32, 1, 11000, 100000);
  const auto found = depth(record);
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::suspect);
  CHECK(found[0].job == "j");
  CHECK(found[0].op == Op::read);
  CHECK(found[0].mark == "reached depth 1.1 of 32");
  CHECK(found[0].text ==
        "On average 1.1 of 32 I/Os were in flight, so this is a figure for that depth.");
  CHECK(test::numbers(found[0]) ==
        "depth_reached=1.1 depth_asked=32 ios=11000 mean_latency_ns=100000");
}

TEST_CASE("A depth that was held is not mentioned", "[analyze][depth]") {
  CHECK(depth(measured(Op::read, 32, 1, 3200, 9900000)).empty());
}

TEST_CASE("Seven tenths of the asked depth are enough, less is not", "[analyze][depth]") {
  CHECK(depth(measured(Op::write, 2, 5, 1000, 7000000)).empty());
  CHECK(depth(measured(Op::write, 2, 5, 1000, 6900000)).size() == 1);
}

TEST_CASE("One I/O at a time has no depth to lose, two have", "[analyze][depth]") {
  CHECK(depth(measured(Op::read, 1, 1, 1000, 100)).empty());
  CHECK(depth(measured(Op::read, 1, 2, 1000, 100)).size() == 1);
}

TEST_CASE("Interrupted rows are judged, failed and skipped ones are not", "[analyze][depth]") {
  ResultRecord record = measured(Op::read, 32, 1, 11000, 100000);
  for (const auto& [status, count] : std::vector<std::pair<Status, std::size_t>>{
           {Status::interrupted, 1}, {Status::failed, 0}, {Status::skipped, 0}}) {
    record.status = status;
    CHECK(depth(record).size() == count);
  }
}

TEST_CASE("Without latencies nothing is claimed", "[analyze][depth]") {
  ResultRecord record = measured(Op::read, 32, 1, 11000, 100000);
  record.loops[0].read->lat = {};
  CHECK(depth(record).empty());
}

TEST_CASE("Both directions of a mixed job share the depth", "[analyze][depth]") {
  CHECK(depth(measured(Op::mixed, 10, 1, 1000, 4500000)).empty());  // 4.5 + 4.5 of 10
  const auto found = depth(measured(Op::mixed, 10, 1, 1000, 2000000));
  REQUIRE(found.size() == 1);
  CHECK(found[0].mark == "reached depth 4.0 of 10");
  CHECK_FALSE(found[0].op.has_value());
}

TEST_CASE("Time in fsync counts as time in flight", "[analyze][depth]") {
  ResultRecord record = measured(Op::write, 1, 4, 100, 10000);
  CHECK(depth(record).size() == 1);
  record.loops[0].write->sync.emplace();
  for (int i = 0; i < 100; ++i) record.loops[0].write->sync->add(39000000);
  CHECK(depth(record).empty());
}

TEST_CASE("The last fsync, after which nothing is submitted, is no part of the window",
          "[analyze][depth]") {
  ResultRecord record = measured(Op::write, 1, 4, 1000, 800000);  // 0.8 s busy in 1 s
  CHECK(depth(record).size() == 1);
  record.loops[0].end_fsync_ns = 800 * kMillisecond;  // 0.8 s busy in 0.2 s
  CHECK(depth(record).empty());
  record.loops[0].end_fsync_ns = 2 * kSecond;  // nonsense: no claim
  CHECK(depth(record).empty());
}

TEST_CASE("The remedy for a lost depth knows engine and O_DIRECT", "[analyze][depth]") {
  ResultRecord record = measured(Op::read, 32, 1, 11000, 100000);
  const std::string busy =
      "Look at the CPU during the test (--verbose): when it is busy, or the device answers faster "
      "than I/O is submitted, fewer threads and less depth give the same figure.";
  CHECK(depth(record).at(0).remedy == busy);

  record.resolution.engine = "libaio";
  CHECK(depth(record).at(0).remedy == busy);
  record.resolution.direct_effective = false;
  CHECK(depth(record).at(0).remedy ==
        "libaio submits I/O one at a time where O_DIRECT is not real: use --engine psync, which "
        "serves the depth with threads.");
  record.job.workload.direct = DirectMode::off;
  CHECK(depth(record).at(0).remedy ==
        "libaio submits buffered I/O one at a time: use --direct, or --engine psync, which serves "
        "the depth with threads.");

  record.resolution.engine = "sync";
  record.resolution.queue_depth_effective = 1;
  CHECK(depth(record).at(0).remedy ==
        "sync had at most 1 I/O in flight per thread here: use another engine (--engine), or more "
        "threads instead of depth.");

  CHECK(depth(measured(Op::read, 32, 1, 319, 100000)).at(0).remedy ==
        "The run was too short to fill the queue: raise ios or bytes, or let it run longer "
        "(--runtime).");
}

TEST_CASE("A batch served in its submission is no depth", "[analyze][depth]") {
  ResultRecord record = measured(Op::read, 32, 1, 3886, 8233000);
  auto& read = *record.loops[0].read;
  read.slat.emplace().add_binned(8225000, 3886);
  read.clat.emplace().add_binned(8800, 3886);
  record.resolution.engine = "libaio";
  record.resolution.direct_effective = false;
  record.job.workload.direct = DirectMode::off;
  const auto found = depth(record);
  REQUIRE(found.size() == 1);
  CHECK(found[0].mark == "reached depth 1.0 of 32");
  CHECK(found[0].text ==
        "On average 1.0 of 32 I/Os were in flight, so this is a figure for that depth.");
  CHECK(found[0].remedy ==
        "libaio submits buffered I/O one at a time: use --direct, or --engine psync, which serves "
        "the depth with threads.");
  CHECK(found[0].evidence.back().name == "mean_submission_ns");

  record.resolution.engine = "io_uring";
  record.job.workload.direct = DirectMode::auto_;
  CHECK(depth(record).at(0).remedy ==
        "io_uring submits I/O one at a time where O_DIRECT is not real: use --engine psync, which "
        "serves the depth with threads.");
}

TEST_CASE("Buffered writes that wait for the flush of all are told so", "[analyze][depth]") {
  ResultRecord record = measured(Op::write, 1, 4, 1000, 100000);
  record.resolution.direct_effective = false;
  record.job.workload.direct = DirectMode::off;
  record.job.workload.size = kGiB;
  CHECK(depth(record).at(0).remedy.starts_with("Look at the CPU"));  // never flushed
  record.loops[0].write->sync.emplace().add(900 * kMillisecond);
  const auto found = depth(record);
  REQUIRE(found.size() == 1);
  CHECK(found[0].mark == "reached depth 1.0 of 4");
  CHECK(found[0].text ==
        "On average 1.0 of 4 I/Os were in flight: buffered writes are flushed (fdatasync) after "
        "every 1.00 GiB, and the other writers wait meanwhile.");
  CHECK(found[0].remedy ==
        "The rate includes these flushes, without which it would be RAM's: use --direct for a "
        "depth that is held.");
  record.job.workload.direct = DirectMode::auto_;
  record.resolution.direct_reason = "tmpfs keeps its files in RAM";
  CHECK(depth(record).at(0).remedy ==
        "The rate includes these flushes, without which it would be RAM's; O_DIRECT, with which "
        "the depth would be held, does not help here (tmpfs keeps its files in RAM).");
  record.job.workload.sync = SyncMode::fdatasync;
  CHECK(depth(record).at(0).remedy.starts_with("Look at the CPU"));
}

TEST_CASE("An open loop has no depth to hold", "[analyze][depth]") {
  ResultRecord record = measured(Op::read, 32, 1, 1000, 100000);
  REQUIRE(depth(record).size() == 1);
  record.job.workload.rate_iops = 1000;
  CHECK(depth(record).empty());
}

}  // namespace sthd::analyze
