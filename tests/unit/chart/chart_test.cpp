#include <algorithm>
#include <optional>

#include "kit/chart/course.hpp"
#include "kit/chart/latency.hpp"
#include "support/catch.hpp"
#include "support/reports.hpp"

namespace sthd::chart {
namespace {

std::optional<double> at(const LatencyCurve& curve, double percent) {
  const auto& grid = grid_percents();
  const auto found = std::find_if(grid.begin(), grid.end(), [percent](double each) {
    return each == Approx(percent).epsilon(1e-12);
  });
  REQUIRE(found != grid.end());
  return curve.points[static_cast<std::size_t>(found - grid.begin())].latency_ns;
}

/// A row of 4 KiB writes with these slices, of 100 I/Os of 100 us each.
ResultRecord sliced(const std::vector<std::uint64_t>& ends_ns) {
  ResultRecord record = test::original_slog_report().records.front();
  for (const std::uint64_t end : ends_ns) {
    Sample sample{.at_ns = end, .ios = 100, .bytes = 409'600, .max_ns = 250'000};
    sample.lat = {{static_cast<std::uint16_t>(CoarseGrid::index_of(100'000)), 100}};
    record.loops.front().write->samples.push_back(sample);
  }
  return record;
}

}  // namespace

TEST_CASE("Percentiles rise from 0, eight a decade, to five nines behind the point", "[chart]") {
  const auto& grid = grid_percents();
  CHECK(grid.size() == 57);
  CHECK(grid.front() == 0);
  CHECK(grid.back() == Approx(99.99999).epsilon(1e-12));
  CHECK(std::is_sorted(grid.begin(), grid.end()));
}

TEST_CASE("A latency curve has the percentiles of the table and ends where samples do", "[chart]") {
  const ResultRecord record = test::original_slog_report().records.front();
  const auto curves = latency_curves(record, Op::write);
  REQUIRE(curves.size() == 1);
  const LatencyCurve& curve = curves.front();
  CHECK(curve.name == "4K sync T1 write");
  CHECK(curve.count == 53'435);
  CHECK(at(curve, 50).value() == 85'504);
  CHECK(at(curve, 99).value() == 185'344);
  CHECK(at(curve, 99.99).value() == Approx(370'688));
  CHECK_FALSE(at(curve, 99.999));  // half a sample lies beyond it
  CHECK(curve.max_ns == 370'688);
  const auto rough = std::count_if(curve.points.begin(), curve.points.end(),
                                   [](const QuantilePoint& point) { return point.rough; });
  CHECK(rough > 0);
  CHECK_FALSE(curve.points[1].rough);
}

TEST_CASE("Response times and sync calls have curves of their own", "[chart]") {
  ResultRecord record = test::original_slog_report().records.front();
  OpResult& result = *record.loops.front().write;
  result.response = result.lat;
  result.sync = result.lat;
  const auto curves = latency_curves(record, Op::write);
  REQUIRE(curves.size() == 3);
  CHECK(curves[1].name == "4K sync T1 write response");
  CHECK(curves[2].name == "4K sync T1 write sync");
}

TEST_CASE("Without a distribution, or in a failed row, there is no latency curve", "[chart]") {
  ResultRecord record = test::original_slog_report().records.front();
  CHECK(latency_curves(record, Op::read).empty());
  record.status = Status::failed;
  CHECK(latency_curves(record, Op::write).empty());
  record.status = Status::ok;
  record.loops.front().write->lat.set_summary(10, 1, 2, 15);
  CHECK(latency_curves(record, Op::write).empty());
}

TEST_CASE("A slice's rates count from the end of the one before", "[chart]") {
  const auto course = course_of(sliced({100 * kMillisecond, 300 * kMillisecond}), Op::write, 600);
  REQUIRE(course);
  REQUIRE(course->points.size() == 2);
  CHECK(course->name == "4K sync T1 write");
  CHECK(*course->points[0].iops == Approx(1000));
  CHECK(*course->points[1].iops == Approx(500));
  CHECK(*course->points[1].mb_per_s == Approx(2.048));
  CHECK(course->points[1].end_s == Approx(0.3));
  CHECK(*course->points[0].p99_us == Approx(100).epsilon(0.063));
  CHECK(*course->points[0].max_us == Approx(250));
  CHECK_FALSE(course->all_disks);
}

TEST_CASE("A slice without length has no rate", "[chart]") {
  const auto course = course_of(sliced({kSecond, kSecond}), Op::write, 600);
  REQUIRE(course);
  CHECK(course->points[0].iops);
  CHECK_FALSE(course->points[1].iops);
  CHECK_FALSE(course->points[1].mb_per_s);
}

TEST_CASE("A course is merged to as many slices as are asked for", "[chart]") {
  const auto course = course_of(sliced({1, 2, 3, 4, 5}), Op::write, 2);
  REQUIRE(course);
  CHECK(course->points.size() == 2);
}

TEST_CASE("Without samples, or in a failed row, there is no course", "[chart]") {
  ResultRecord record = sliced({kSecond});
  CHECK_FALSE(course_of(record, Op::read, 600));
  record.status = Status::failed;
  CHECK_FALSE(course_of(record, Op::write, 600));
  CHECK_FALSE(course_of(sliced({}), Op::write, 600));
}

TEST_CASE("A course has the means of each disk and of all, where they were counted", "[chart]") {
  const Report report = test::ok_report();
  const auto course = course_of(report.records[1], Op::read, 600);
  REQUIRE(course);
  REQUIRE(course->disks.size() == 2);
  CHECK(course->disks[0].name == "nvme0n1");
  CHECK(*course->disks[0].mean_us == Approx(19.15));
  CHECK_FALSE(course->disks[0].flushes_per_s);  // this disk does not count them
  CHECK(*course->disks[1].flushes_per_s == Approx(1.4));
  CHECK(*course->disks[1].iops == 0.0);
  CHECK_FALSE(course->disks[1].mean_us);  // it had no reads
  REQUIRE(course->all_disks);
  CHECK(course->all_disks->name == "all disks");
  CHECK(*course->all_disks->mb_per_s == Approx(409.6));
  CHECK(*course->all_disks->mean_us == Approx(19.15));
}

TEST_CASE("Measured directions are those with figures, both of a mixed row", "[chart]") {
  Report report = test::mixed_report();
  std::size_t ok = 0;
  for (const Direction& row : measured_directions(report)) {
    CHECK(row.record->status != Status::skipped);
    CHECK(row.record->status != Status::failed);
    ++ok;
  }
  CHECK(ok == 3);
  Report mixed = test::original_slog_report();
  mixed.records.resize(1);
  mixed.records[0].job.workload.op = Op::mixed;
  mixed.records[0].loops[0].read = mixed.records[0].loops[0].write;
  CHECK(measured_directions(mixed).size() == 2);
}

}  // namespace sthd::chart
