#include <string>
#include <vector>

#include "sthd/metrics.hpp"
#include "support/catch.hpp"

namespace sthd {
namespace {

struct Measured {
  std::uint32_t repeat;
  std::uint64_t ios;
};

/// Writes of one second each, with a latency of `ios` ns: an easy figure to recognise.
ResultRecord record_of(std::uint32_t loops, std::uint32_t repeat,
                       const std::vector<Measured>& measured) {
  ResultRecord record;
  record.job.workload.op = Op::write;
  record.job.workload.loops = loops;
  record.job.workload.repeat = repeat;
  for (const Measured& one : measured) {
    LoopResult loop;
    loop.repeat = one.repeat;
    loop.write.emplace();
    loop.write->ios = one.ios;
    loop.write->bytes = one.ios * 4096;
    loop.write->elapsed_ns = kSecond;
    loop.write->lat.add_binned(one.ios, one.ios);
    record.loops.push_back(std::move(loop));
  }
  return record;
}

TEST_CASE("Each repeat has its own figure, over all of its loops", "[sdk][metrics][repeat]") {
  const auto record = record_of(2, 3, {{0, 10}, {0, 20}, {1, 30}, {1, 50}, {2, 20}, {2, 40}});
  CHECK(by_repeat(record, Op::write, "iops") == std::vector<double>{15, 40, 30});
  CHECK(by_repeat(record, Op::write, "bytes") ==
        std::vector<double>{30 * 4096, 80 * 4096, 60 * 4096});
  CHECK(by_repeat(record, Op::write, "lat.max") == std::vector<double>{20, 50, 40});
  CHECK(by_repeat(record, Op::read, "iops").empty());
  CHECK(by_repeat(record, Op::write, "speed").empty());
}

TEST_CASE("A row without repeats has the one figure of metric()", "[sdk][metrics][repeat]") {
  const auto record = record_of(2, 1, {{0, 10}, {0, 20}});
  CHECK(by_repeat(record, Op::write, "iops") ==
        std::vector<double>{metric(record, Op::write, "iops")->value});
  CHECK(by_repeat(ResultRecord{}, Op::write, "iops").empty());
}

TEST_CASE("A repeat that was cut short has no figure", "[sdk][metrics][repeat]") {
  auto record = record_of(2, 3, {{0, 10}, {0, 20}, {1, 30}});
  record.status = Status::interrupted;
  CHECK(by_repeat(record, Op::write, "iops") == std::vector<double>{15});
  record.loops.erase(record.loops.begin());
  CHECK(by_repeat(record, Op::write, "iops").empty());
  record.status = Status::failed;
  CHECK(by_repeat(record_of(1, 1, {{0, 10}}), Op::write, "iops").size() == 1);
  CHECK(by_repeat(record, Op::write, "iops").empty());
}

TEST_CASE("What one repeat does not know is not known of the row", "[sdk][metrics][repeat]") {
  auto record = record_of(1, 2, {{0, 10}, {1, 20}});
  record.loops[1].write->lat = {};
  CHECK(by_repeat(record, Op::write, "lat.mean").empty());
  CHECK_FALSE(spread(record, Op::write, "lat.mean").has_value());
  CHECK(by_repeat(record, Op::write, "iops").size() == 2);
}

TEST_CASE("The spread is the median of the repeats with their range", "[sdk][metrics][repeat]") {
  const auto odd = spread(record_of(1, 3, {{0, 110}, {1, 100}, {2, 90}}), Op::write, "iops");
  REQUIRE(odd.has_value());
  CHECK(odd->median == 100);
  CHECK(odd->min == 90);
  CHECK(odd->max == 110);
  CHECK(odd->repeats == 3);
  CHECK(odd->half_range_percent() == Approx(10));
  const auto even =
      spread(record_of(1, 4, {{0, 10}, {1, 40}, {2, 20}, {3, 1000}}), Op::write, "iops");
  REQUIRE(even.has_value());
  CHECK(even->median == 30);
  CHECK(Spread{}.half_range_percent() == 0);
  CHECK_FALSE(spread(record_of(1, 2, {}), Op::write, "iops").has_value());
}

TEST_CASE("A row's typical figure is the median of its repeats, where each knows it",
          "[sdk][metrics][repeat]") {
  auto record = record_of(1, 3, {{0, 100}, {1, 400}, {2, 200}});
  CHECK(typical(record, Op::write, "iops")->value == 200);
  CHECK(metric(record, Op::write, "iops")->value == Approx(700.0 / 3));
  CHECK(typical(record, Op::write, "lat.p50")->samples == 100);
  CHECK(typical(record, Op::write, "lat.p95")->rough);  // in the shortest of them
  CHECK_FALSE(metric(record, Op::write, "lat.p95")->rough);
  record.loops[1].write->lat = {};
  CHECK(typical(record, Op::write, "lat.max")->value ==
        metric(record, Op::write, "lat.max")->value);
  record.job.workload.repeat = 1;
  CHECK(typical(record, Op::write, "iops")->value == metric(record, Op::write, "iops")->value);
  CHECK_FALSE(typical(record, Op::read, "iops").has_value());
}

TEST_CASE("The best repeat stands for a row with score max, in all figures",
          "[sdk][metrics][repeat][score]") {
  auto record = record_of(1, 3, {{0, 100}, {1, 400}, {2, 200}});
  record.job.workload.score = Score::max;
  CHECK(best_repeat(record) == 1);
  CHECK(typical(record, Op::write, "iops")->value == 400);
  CHECK(typical(record, Op::write, "bw")->value == 400 * 4096);
  CHECK(typical(record, Op::write, "lat.mean")->value == 400);  // not the least of all repeats
  CHECK(typical(record, Op::write, "lat.p50")->samples == 400);
  CHECK_FALSE(typical(record, Op::write, "lat.p95")->rough);
  CHECK(spread(record, Op::write, "iops")->median == 200);
  CHECK_FALSE(typical(record, Op::read, "iops").has_value());
  record.loops[0].write->lat = {};  // one that does not know it
  CHECK(typical(record, Op::write, "lat.max")->value ==
        metric(record, Op::write, "lat.max")->value);
  record.job.workload.repeat = 1;
  CHECK(typical(record, Op::write, "iops")->value == metric(record, Op::write, "iops")->value);
}

TEST_CASE("The best repeat of a mixed row has the most I/Os of both directions",
          "[sdk][metrics][repeat][score]") {
  auto record = record_of(1, 2, {{0, 100}, {1, 90}});
  record.job.workload.op = Op::mixed;
  record.job.workload.score = Score::max;
  for (const std::size_t i : {0U, 1U}) {
    record.loops[i].read = record.loops[i].write;
    record.loops[i].read->ios = i == 0 ? 10 : 50;
  }
  CHECK(best_repeat(record) == 1);
  CHECK(typical(record, Op::write, "iops")->value == 90);
  CHECK(typical(record, Op::read, "iops")->value == 50);
}

TEST_CASE("Where I/Os were not counted the bytes tell the best repeat",
          "[sdk][metrics][repeat][score]") {
  auto record = record_of(1, 3, {{0, 100}, {1, 400}, {2, 200}});
  record.job.workload.score = Score::max;
  for (LoopResult& loop : record.loops) loop.write->ios = 0;
  CHECK(best_repeat(record) == 1);
  CHECK(typical(record, Op::write, "bw")->value == 400 * 4096);
  CHECK_FALSE(best_repeat(ResultRecord{}).has_value());
}

TEST_CASE("Of an interrupted row the best of the whole repeats stands",
          "[sdk][metrics][repeat][score]") {
  auto record = record_of(2, 3, {{0, 10}, {0, 20}, {1, 300}});
  record.status = Status::interrupted;
  record.job.workload.score = Score::max;
  CHECK(best_repeat(record) == 0);
  CHECK(typical(record, Op::write, "iops")->value == 15);
  record.loops.erase(record.loops.begin());
  CHECK_FALSE(best_repeat(record).has_value());
  CHECK(typical(record, Op::write, "iops")->value == metric(record, Op::write, "iops")->value);
}

}  // namespace
}  // namespace sthd
