#include <string>
#include <utility>
#include <vector>

#include "sthd/metrics.hpp"
#include "support/catch.hpp"

namespace sthd {
namespace {

using Counters = std::vector<std::pair<std::string, double>>;

/// A record with a loop for each set of counters; "disk.N.name" stands for itself.
ResultRecord counted(const std::vector<Counters>& loops) {
  ResultRecord record;
  record.job.workload.op = Op::write;
  for (const Counters& counters : loops) {
    LoopResult& loop = record.loops.emplace_back();
    for (const auto& [name, value] : counters) {
      const bool is_name = name.ends_with(".name");
      loop.counters.push_back({name, {}, ""});
      if (is_name) loop.counters.back().value = "a disk";
      if (!is_name) loop.counters.back().value = value;
    }
  }
  return record;
}

const Counters kOneDisk{{"disk.0.name", 0},
                        {"disk.0.read_ios", 10},
                        {"disk.0.read_bytes", 40960},
                        {"disk.0.read_ticks_ns", 1e6},
                        {"disk.0.write_ios", 100},
                        {"disk.0.write_bytes", 409600},
                        {"disk.0.write_ticks_ns", 2e6},
                        {"disk.0.flush_ios", 50},
                        {"disk.0.flush_ticks_ns", 40e6}};

Counters two_disks() {
  Counters both = kOneDisk;
  both.insert(both.end(), {{"disk.1.name", 0},
                           {"disk.1.write_ios", 300},
                           {"disk.1.write_bytes", 4096},
                           {"disk.1.write_ticks_ns", 18e6}});
  return both;
}

}  // namespace

TEST_CASE("A disk's mean time is ticks by I/Os over all loops, flushes apart", "[sdk][device]") {
  const auto record = counted({kOneDisk, kOneDisk});
  CHECK(device_mean_ns(record, Op::write) == 20'000.0);
  CHECK(device_mean_ns(record, Op::read) == 100'000.0);
  CHECK(device_mean_ns(record, Op::mixed) == 3e6 / 110);
  CHECK(device_flush_mean_ns(record) == 800'000.0);
  CHECK(device_bytes(record, Op::write) == 819'200.0);
  CHECK(device_bytes(record, Op::mixed) == 901'120.0);
}

TEST_CASE("Several disks count together or one by one", "[sdk][device]") {
  const auto record = counted({two_disks()});
  CHECK(disk_count(record) == 2);
  CHECK(device_mean_ns(record, Op::write) == 50'000.0);
  CHECK(device_mean_ns(record, Op::write, 0) == 20'000.0);
  CHECK(device_mean_ns(record, Op::write, 1) == 60'000.0);
  CHECK_FALSE(device_mean_ns(record, Op::write, 2));
  CHECK(disk_total(record, "write_ios") == 400.0);
}

TEST_CASE("What one disk or one loop does not know, the sum does not", "[sdk][device]") {
  CHECK_FALSE(device_flush_mean_ns(counted({two_disks()})));
  CHECK(device_flush_mean_ns(counted({two_disks()}), 0) == 800'000.0);
  CHECK_FALSE(device_mean_ns(counted({kOneDisk, {}}), Op::write));
  CHECK_FALSE(device_bytes(counted({kOneDisk, {{"disk.0.name", 0}}}), Op::write));
}

TEST_CASE("Without disks, loops or I/Os there is no mean time", "[sdk][device]") {
  CHECK_FALSE(device_mean_ns(ResultRecord{}, Op::write));
  CHECK_FALSE(device_mean_ns(counted({{}}), Op::write));
  CHECK_FALSE(device_bytes(counted({{}}), Op::read));
  CHECK_FALSE(counter_total(ResultRecord{}, "host.steal_ns"));
  const auto idle = counted({{{"disk.0.name", 0},
                              {"disk.0.write_ios", 0},
                              {"disk.0.write_ticks_ns", 0},
                              {"disk.0.write_bytes", 0}}});
  CHECK_FALSE(device_mean_ns(idle, Op::write));
  CHECK(device_bytes(idle, Op::write) == 0.0);
}

TEST_CASE("Other counters add up over the loops", "[sdk][device]") {
  const auto record = counted({{{"zil.slog_bytes", 4096}}, {{"zil.slog_bytes", 8192}}});
  CHECK(counter_total(record, "zil.slog_bytes") == 12'288.0);
  CHECK_FALSE(counter_total(record, "zil.normal_bytes"));
}

TEST_CASE("A job's own bytes are those of its direction", "[sdk][device]") {
  ResultRecord record;
  record.loops.resize(2);
  for (LoopResult& loop : record.loops) {
    loop.read.emplace().bytes = 4096;
    loop.write.emplace().bytes = 512;
  }
  CHECK(job_bytes(record, Op::read) == 8192.0);
  CHECK(job_bytes(record, Op::mixed) == 9216.0);
  record.loops[0].read.reset();
  record.loops[1].read.reset();
  CHECK_FALSE(job_bytes(record, Op::read));
}

}  // namespace sthd
