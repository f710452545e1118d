#include "sthd/metrics.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace sthd {
namespace {

OpResult result(std::uint64_t ios, std::uint64_t elapsed_ns, std::uint64_t latency) {
  OpResult op;
  op.ios = ios;
  op.bytes = ios * 4096;
  op.elapsed_ns = elapsed_ns;
  if (ios > 0 && latency > 0) op.lat.add_binned(latency, ios);
  return op;
}

ResultRecord record_of(std::vector<OpResult> writes) {
  ResultRecord record;
  record.job.workload.op = Op::write;
  for (OpResult& write : writes) {
    LoopResult loop;
    loop.write = std::move(write);
    record.loops.push_back(std::move(loop));
  }
  return record;
}

double value(const ResultRecord& record, Op op, std::string_view name) {
  const auto found = metric(record, op, name);
  REQUIRE(found.has_value());
  return found->value;
}

TEST_CASE("Rates are totals over the sum of the loops' times", "[sdk][metrics]") {
  const auto record = record_of({result(1000, kSecond, 100), result(500, 2 * kSecond, 100)});
  CHECK(value(record, Op::write, "iops") == Approx(500));
  CHECK(value(record, Op::write, "bw") == Approx(500 * 4096));
  CHECK(value(record, Op::write, "bytes") == Approx(1500 * 4096));
  CHECK(value(record, Op::write, "seconds") == Approx(3));
  CHECK_FALSE(metric(record, Op::read, "iops").has_value());
}

TEST_CASE("Latency figures come from the merged histogram, with their n", "[sdk][metrics]") {
  const auto record = record_of({result(600, kSecond, 100), result(400, kSecond, 50)});
  CHECK(value(record, Op::write, "lat.min") == 50);
  CHECK(value(record, Op::write, "lat.max") == 100);
  CHECK(value(record, Op::write, "lat.mean") == Approx(80));
  CHECK(value(record, Op::write, "lat.p50") == 100);
  CHECK(value(record, Op::write, "lat.p1") == 50);
  const auto p99 = metric(record, Op::write, "lat.p99");
  REQUIRE(p99.has_value());
  CHECK(p99->samples == 1000);
  CHECK_FALSE(p99->rough);
  CHECK(metric(record, Op::write, "lat.p99_9")->rough);
  CHECK_FALSE(metric(record, Op::write, "lat.p99_99").has_value());
  CHECK_FALSE(metric(record, Op::write, "lat.max")->rough);
}

TEST_CASE("What was not measured is unknown, not 0", "[sdk][metrics]") {
  auto record = record_of({result(0, 0, 0)});
  CHECK_FALSE(metric(record, Op::write, "iops").has_value());
  CHECK_FALSE(metric(record, Op::write, "bw").has_value());
  CHECK_FALSE(metric(record, Op::write, "seconds").has_value());
  CHECK_FALSE(metric(record, Op::write, "lat.mean").has_value());
  CHECK_FALSE(metric(record, Op::write, "clat.mean").has_value());
  record = record_of({result(0, kSecond, 0)});
  record.loops[0].write->bytes = 1 << 20;  // a backend that counts bytes alone
  CHECK_FALSE(metric(record, Op::write, "iops").has_value());
  CHECK(value(record, Op::write, "bw") == Approx(1 << 20));
  CHECK_FALSE(metric(record, Op::write, "speed").has_value());
}

TEST_CASE("Skipped and failed records have no metrics, interrupted ones do", "[sdk][metrics]") {
  auto record = record_of({result(1000, kSecond, 100)});
  record.status = Status::interrupted;
  CHECK(value(record, Op::write, "iops") == Approx(1000));
  record.status = Status::failed;
  CHECK_FALSE(metric(record, Op::write, "iops").has_value());
  CHECK(merged(record, Op::write).has_value());
  record.status = Status::skipped;
  CHECK_FALSE(metric(record, Op::write, "iops").has_value());
  CHECK_FALSE(merged(record, Op::write).has_value());
}

TEST_CASE("A part that one loop lacks is not merged", "[sdk][metrics]") {
  auto record = record_of({result(10, kSecond, 100), result(10, kSecond, 100)});
  LatencyHistogram part;
  part.add_binned(40, 10);
  record.loops[0].write->clat = part;
  CHECK_FALSE(metric(record, Op::write, "clat.mean").has_value());
  record.loops[1].write->clat = part;
  CHECK(value(record, Op::write, "clat.mean") == 40);
  CHECK(metric(record, Op::write, "clat.mean")->samples == 20);
}

TEST_CASE("Samples of later loops follow those before", "[sdk][metrics]") {
  auto record = record_of({result(1, kSecond, 1), result(1, kSecond, 1)});
  record.loops[0].write->samples = {{.at_ns = 100, .ios = 1, .bytes = 4096}};
  record.loops[1].write->samples = {{.at_ns = 200, .ios = 1, .bytes = 4096}};
  const auto total = merged(record, Op::write);
  REQUIRE(total->samples.size() == 2);
  CHECK(total->samples[0].at_ns == 100);
  CHECK(total->samples[1].at_ns == kSecond + 200);
}

TEST_CASE("However many loops, a merged series has at most 600 samples and every I/O",
          "[sdk][metrics]") {
  std::vector<OpResult> loops(7, result(600, kSecond, 100));
  for (OpResult& loop : loops) {
    for (std::uint64_t i = 1; i <= 600; ++i) {
      const std::uint64_t ns = i == 300 ? 100'000 : 100;
      loop.samples.push_back({i * kMillisecond,
                              1,
                              4096,
                              ns,
                              {{static_cast<std::uint16_t>(CoarseGrid::index_of(ns)), 1}}});
    }
  }
  const auto total = merged(record_of(loops), Op::write);
  CHECK(total->samples.size() == 525);  // 4200, halved three times
  CHECK(total->samples.back().at_ns == 6 * kSecond + 600 * kMillisecond);
  std::uint64_t ios = 0;
  std::uint64_t binned = 0;
  std::size_t long_ones = 0;
  for (const Sample& sample : total->samples) {
    ios += sample.ios;
    for (const auto& bin : sample.lat) binned += bin.second;
    if (sample.max_ns == 100'000) ++long_ones;
  }
  CHECK(ios == 4200);
  CHECK(binned == 4200);
  CHECK(long_ones == 7);
}

TEST_CASE("The directions of a mixed job have a series each and none together", "[sdk][metrics]") {
  ResultRecord record;
  record.job.workload.op = Op::mixed;
  LoopResult loop;
  loop.read = result(3, kSecond, 100);
  loop.read->samples = {{.at_ns = 1, .ios = 3}};
  loop.write = result(1, kSecond, 100);
  loop.write->samples = {{.at_ns = 1, .ios = 1}};
  record.loops = {loop, loop};
  CHECK(merged(record, Op::read)->samples.size() == 2);
  CHECK(merged(record, Op::write)->samples.at(1).ios == 1);
  CHECK(merged(record, Op::mixed)->samples.empty());
  record.loops[0].write.reset();
  record.loops[1].write.reset();
  CHECK(merged(record, Op::mixed)->samples.empty());
}

TEST_CASE("The response time is a latency of its own", "[sdk][metrics]") {
  auto record = record_of({result(10, kSecond, 100), result(10, kSecond, 100)});
  CHECK_FALSE(metric(record, Op::write, "response.mean"));
  record.loops[0].write->response.emplace().add_binned(4'000'000, 10);
  CHECK_FALSE(metric(record, Op::write, "response.mean"));
  record.loops[1].write->response.emplace().add_binned(2'000'000, 10);
  CHECK(value(record, Op::write, "response.mean") == Approx(3'000'000));
  CHECK(value(record, Op::write, "response.max") == 4'000'000);
  CHECK(value(record, Op::write, "lat.max") == 100);
}

TEST_CASE("The submit share is of all threads' time while I/O was submitted", "[sdk][metrics]") {
  auto record = record_of({result(10, kSecond, 100), result(10, 3 * kSecond, 100)});
  record.job.workload.threads = 2;
  CHECK_FALSE(metric(record, Op::write, "submit_share"));
  record.loops[0].submit_ns = kSecond;
  CHECK_FALSE(metric(record, Op::write, "submit_share"));  // a loop does not know
  record.loops[1].submit_ns = kSecond;
  CHECK(value(record, Op::write, "submit_share") == Approx(25));
  record.loops[1].end_fsync_ns = 2 * kSecond;
  CHECK(value(record, Op::write, "submit_share") == Approx(50));
  CHECK_FALSE(metric(record, Op::read, "submit_share"));
  record.status = Status::failed;
  CHECK_FALSE(metric(record, Op::write, "submit_share"));
}

TEST_CASE("The depth is a metric, too", "[sdk][metrics]") {
  const auto record = record_of({result(1000, kSecond, 1'000'000)});
  CHECK(value(record, Op::write, "depth") == *depth_reached(record, Op::write));
  CHECK_FALSE(metric(record, Op::read, "depth"));
}

TEST_CASE("Both directions of a mixed job add up over the same time", "[sdk][metrics]") {
  ResultRecord record;
  record.job.workload.op = Op::mixed;
  LoopResult loop;
  loop.read = result(300, 2 * kSecond, 100);
  loop.write = result(100, kSecond, 50);
  record.loops.push_back(loop);
  CHECK(value(record, Op::mixed, "iops") == Approx(200));
  CHECK(value(record, Op::read, "iops") == Approx(150));
  CHECK(value(record, Op::write, "iops") == Approx(100));
  CHECK(value(record, Op::mixed, "lat.min") == 50);
}

TEST_CASE("The depth reached is IOPS times mean latency", "[sdk][metrics]") {
  const auto record = record_of({result(1000, kSecond, 120)});
  CHECK(*depth_reached(record, Op::write) == Approx(1000 * 120e-9));
  CHECK_FALSE(depth_reached(record, Op::read).has_value());
}

TEST_CASE("The depth reached counts a batch served in its submission as one I/O per thread",
          "[sdk][metrics]") {
  // Batches of 32 share their start: Little's law over lat would find all 32 of them in flight.
  auto record = record_of({result(3886, kSecond, 8'233'000)});
  record.job.workload.queue_depth = 32;
  auto& write = *record.loops[0].write;
  write.slat.emplace().add_binned(8'225'000, 3886);
  write.clat.emplace().add_binned(8'000, 3886);
  record.resolution.engine = "io_uring";
  CHECK(served_in_submission(record, Op::write));
  CHECK(*depth_reached(record, Op::write) == Approx(1 + 3886 * 8e-6));
  record.job.workload.threads = 4;
  CHECK(*depth_reached(record, Op::write) == Approx(4 + 3886 * 8e-6));

  record.resolution.engine = "libaio";
  record.resolution.direct_effective = false;  // what is left of clat is the wait to be reaped
  CHECK(*depth_reached(record, Op::write) == Approx(4));
}

TEST_CASE("The depth reached of I/O that is only submitted in its submission is Little's",
          "[sdk][metrics]") {
  auto record = record_of({result(3200, kSecond, 10'000'000)});
  record.job.workload.queue_depth = 32;
  record.loops[0].write->slat.emplace().add_binned(4'900'000, 3200);
  record.loops[0].write->clat.emplace().add_binned(5'100'000, 3200);
  CHECK_FALSE(served_in_submission(record, Op::write));
  CHECK(*depth_reached(record, Op::write) == Approx(32).epsilon(0.01));
}

TEST_CASE("Buffered libaio never has more than the submitting threads in flight",
          "[sdk][metrics]") {
  // As fio reports it: one call an I/O, and the wait to be reaped passes for latency.
  auto record = record_of({result(4000, kSecond, 4'000'000)});
  record.job.workload.queue_depth = 32;
  record.loops[0].write->slat.emplace().add_binned(225'000, 4000);
  record.loops[0].write->clat.emplace().add_binned(3'775'000, 4000);
  record.resolution.engine = "libaio";
  record.resolution.direct_effective = true;
  CHECK(*depth_reached(record, Op::write) == Approx(16).epsilon(0.01));
  record.resolution.direct_effective = false;
  CHECK(*depth_reached(record, Op::write) == Approx(0.9).epsilon(0.01));
  record.loops[0].write->slat.reset();
  CHECK(*depth_reached(record, Op::write) == Approx(1));
}

TEST_CASE("Time in syncs counts as in flight, the last fsync is no part of the window",
          "[sdk][metrics]") {
  auto record = record_of({result(1000, kSecond, 100'000), result(1000, kSecond, 100'000)});
  CHECK(*depth_reached(record, Op::write) == Approx(0.1).epsilon(0.01));
  record.loops[1].write->sync.emplace().add_binned(1'000'000, 1000);  // one loop alone had some
  CHECK(*depth_reached(record, Op::write) == Approx(0.6).epsilon(0.01));
  record.loops[0].end_fsync_ns = kSecond;
  CHECK(*depth_reached(record, Op::write) == Approx(1.2).epsilon(0.01));
  record.loops[0].end_fsync_ns = 3 * kSecond;
  CHECK_FALSE(depth_reached(record, Op::write).has_value());
  record.loops[0].end_fsync_ns = 0;
  record.status = Status::failed;
  CHECK_FALSE(depth_reached(record, Op::write).has_value());
}

TEST_CASE("Metric names are the ones of the profile's columns", "[sdk][metrics]") {
  for (const auto* name :
       {"iops", "bw", "bytes", "seconds", "lat.min", "clat.mean", "slat.max", "sync.p50",
        "lat.p99_9", "lat.p1", "response.p99", "depth", "submit_share"}) {
    INFO(name);
    CHECK(is_metric(name));
  }
  for (const auto* name : {"", "lat", "lat.", ".p99", "lat.p", "lat.p0", "lat.p100", "lat.p99_",
                           "lat.p9x", "lat.median", "foo.p99", "iops.p99", "response", "depth.p99",
                           "lat.p99.9", "LAT.p99", "lat.p_9", "lat.p05", "lat.p99_1234567"}) {
    INFO(name);
    CHECK_FALSE(is_metric(name));
  }
}

TEST_CASE("Quantile names give the nearest double", "[sdk][metrics]") {
  CHECK(quantile_of("p50") == 0.5);
  CHECK(quantile_of("p99") == 0.99);
  CHECK(quantile_of("p99_9") == 0.999);
  CHECK(quantile_of("p99_99") == 0.9999);
  CHECK(quantile_of("p5") == 0.05);
  CHECK_FALSE(quantile_of("mean").has_value());
}

}  // namespace
}  // namespace sthd
