#include "counted_report.hpp"
#include "support/catch.hpp"

// run-too-short, not-steady, outliers, rate-limited, stalled: what the course of a run tells.
namespace sthd::analyze {

using namespace test;

namespace {

std::vector<std::uint64_t> slices(std::size_t count, std::uint64_t ios) {
  return std::vector<std::uint64_t>(count, ios);
}

ResultRecord in_course(const std::vector<std::uint64_t>& ios) {
  ResultRecord record = measured(Op::write, 1, 1, 1000, 900000);
  series(record, ios);
  return record;
}

std::vector<std::uint64_t> halved() {
  std::vector<std::uint64_t> ios = slices(16, 100);
  const std::vector<std::uint64_t> slow = slices(16, 30);
  ios.insert(ios.end(), slow.begin(), slow.end());
  return ios;
}

/// As flat as a limiter makes it, 1 ms an I/O, of which the device had 50 us.
ResultRecord limited(double device_ns) {
  ResultRecord record = measured(Op::write, 1, 1, 1000, 1000000);
  series(record, slices(40, 100));
  count_disk(record, 0, "sda", {.write_ios = 1000, .write_bytes = 4096000, .write_ns = device_ns});
  return record;
}

}  // namespace

TEST_CASE("A window below 0.9 s is too short", "[analyze][short]") {
  ResultRecord record = measured(Op::read, 1, 1, 200, 900000);
  CHECK(silent(record, "run-too-short"));
  record.loops[0].read->elapsed_ns = 200 * kMillisecond;
  record.job.workload.runtime_ns = 200 * kMillisecond;
  CHECK(line(record, "run-too-short") ==
        "suspect j read [short run] Measured for 200ms alone: caches and chance outweigh the "
        "device. | Let it run 5 s or more: --runtime 5s.");
  record.job.workload.runtime_ns = 0;
  CHECK(line(record, "run-too-short") ==
        "note j read [short run] Measured for 200ms alone: caches and chance outweigh the device. "
        "| Move more: a larger --size, ios or bytes, or --runtime 5s.");
}

TEST_CASE("Each loop counts for itself, and an interrupted row is short by choice",
          "[analyze][short]") {
  ResultRecord record = measured(Op::read, 1, 1, 200, 900000);
  record.loops[0].read->elapsed_ns = 500 * kMillisecond;
  record.loops.push_back(record.loops[0]);
  CHECK_FALSE(silent(record, "run-too-short"));
  record.status = Status::interrupted;
  CHECK(silent(record, "run-too-short"));
}

TEST_CASE("A rate that falls mid-run is not steady", "[analyze][steady]") {
  const ResultRecord record = in_course(halved());
  CHECK(line(record, "not-steady") ==
        "suspect j write [not steady] The rate fell from 1000 to 300 IOPS within the run, so their "
        "mean is neither. | Run longer (--runtime 60s) to see where it settles: a burst cache "
        "(SLC, RAID, cloud credits) that fills, or a drive that slows down when hot, looks so.");
  CHECK(numbers(only(report_of({record}), "not-steady")) ==
        "first_half_iops=1000 second_half_iops=300 loop=0");
}

TEST_CASE("A rate that rises has a remedy of its own", "[analyze][steady]") {
  std::vector<std::uint64_t> ios = halved();
  std::reverse(ios.begin(), ios.end());
  CHECK(only(report_of({in_course(ios)}), "not-steady").remedy ==
        "Give it a lead-in (--ramp 10s), or run longer (--runtime 60s).");
}

TEST_CASE("Steady, noisy and short series are not accused", "[analyze][steady]") {
  CHECK(silent(in_course(slices(40, 100)), "not-steady"));
  std::vector<std::uint64_t> noisy;
  for (int i = 0; i < 40; ++i) noisy.push_back(i % 8 < 4 ? 150 : 50);
  CHECK(silent(in_course(noisy), "not-steady"));
  std::vector<std::uint64_t> slight = slices(20, 100);
  slight.insert(slight.end(), 20, 85);
  CHECK(silent(in_course(slight), "not-steady"));
  std::vector<std::uint64_t> brief = halved();
  brief.resize(15);
  CHECK(silent(in_course(brief), "not-steady"));
  CHECK(silent(in_course({}), "not-steady"));
}

TEST_CASE("A few long I/Os that cost much time are outliers", "[analyze][outliers]") {
  ResultRecord record = measured(Op::read, 1, 1, 2000, 200000);
  CHECK(silent(record, "outliers"));
  for (int i = 0; i < 5; ++i) record.loops[0].read->lat.add(30000000);
  CHECK(line(record, "outliers") ==
        "note j read [few long I/Os] 5 of 2005 I/Os took more than 20 times the median and 27 % of "
        "all the time; the longest took 30ms. | Look at p99_9 and the longest beside the mean (-f "
        "timeseries:FILE shows when); a flush, garbage collection, other load or a failing drive "
        "looks so.");
}

TEST_CASE("Many long I/Os are a second kind, cheap ones no matter", "[analyze][outliers]") {
  ResultRecord record = measured(Op::read, 1, 1, 2000, 200000);
  for (int i = 0; i < 200; ++i) record.loops[0].read->lat.add(30000000);
  CHECK(silent(record, "outliers"));
  record = measured(Op::read, 1, 1, 2000, 200000);
  record.loops[0].read->lat.add(30000000);  // 7 % of the time
  CHECK(silent(record, "outliers"));
  record = measured(Op::read, 1, 1, 500, 200000);
  for (int i = 0; i < 5; ++i) record.loops[0].read->lat.add(30000000);
  CHECK(silent(record, "outliers"));  // too few to tell
}

TEST_CASE("A flat rate with the time spent above the device is likely a limit",
          "[analyze][limit]") {
  const std::string text =
      "suspect j write [likely an I/O limit] The rate mostly stayed within 0.0 % of 1000 IOPS and "
      "95 % of "
      "the time was spent above the device: likely a limit, not the device. | ";
  Report report = report_of({limited(50000)});
  CHECK(line(report, "rate-limited") ==
        text +
            "Look at io.max (blkio.throttle.*) of the cgroups, the hypervisor's or cloud's "
            "limit for this disk.");
  fact(report, "cgroup.io_max", "254:0 wiops=1000");
  CHECK(line(report, "rate-limited") ==
        text + "The cgroup has a limit: io.max = 254:0 wiops=1000.");
}

TEST_CASE("A limit is seen through a stall", "[analyze][limit]") {
  ResultRecord record = limited(50000);
  record.loops[0].write->samples[10].ios = 20;
  record.loops[0].write->samples[25].ios = 20;
  CHECK_FALSE(silent(record, "rate-limited"));
}

TEST_CASE("A device that is itself that steady, or a rate asked for, is none", "[analyze][limit]") {
  CHECK(silent(limited(900000), "rate-limited"));
  ResultRecord record = limited(50000);
  record.job.workload.rate_iops = 1000;
  CHECK(silent(record, "rate-limited"));
  record = limited(50000);
  record.loops[0].counters.clear();
  CHECK(silent(record, "rate-limited"));
  record = limited(50000);
  for (std::size_t i = 0; i < 40; i += 4) record.loops[0].write->samples[i].ios = 150;
  CHECK(silent(record, "rate-limited"));
}

TEST_CASE("Time in flushes or on a CPU is no limit", "[analyze][limit]") {
  ResultRecord record = measured(Op::write, 1, 1, 1000, 1000000);
  series(record, slices(40, 100));
  record.job.workload.sync = SyncMode::o_sync;
  DiskCounts disk{.write_ios = 1000, .write_bytes = 4096000, .write_ns = 50000};
  ResultRecord flushed = record;
  disk.flush_ios = 1000;
  disk.flush_ns = 900000;
  count_disk(flushed, 0, "sda", disk);
  CHECK(silent(flushed, "rate-limited"));
  disk.flush_ns = 50000;
  count_disk(record, 0, "sda", disk);
  CHECK_FALSE(silent(record, "rate-limited"));
  record.loops[0].cpu = CpuUse{500 * kMillisecond, 300 * kMillisecond, {}, {}};
  count(record, "own.steal_ns", 0);
  CHECK(silent(record, "rate-limited"));
}

TEST_CASE("A machine that slept invalidates the row", "[analyze][stalled]") {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  count(record, "wall.suspended_ns", 0);
  count(record, "wall.stopped_ns", 4e8);
  CHECK(silent(record, "stalled"));
  record.loops[0].counters[0].value = 3e9;
  CHECK(line(record, "stalled") ==
        "invalidates j read [stalled] The machine was suspended for 3s within the row. | Keep it "
        "awake (systemd-inhibit) and run it again.");
}

TEST_CASE("A job that was stopped invalidates the row", "[analyze][stalled]") {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  count(record, "wall.stopped_ns", 1.4e9);
  CHECK(only(report_of({record}), "stalled").text ==
        "The job did not run for 1.4s within the row.");
}

TEST_CASE("A device that answers nothing for a second is told", "[analyze][stalled]") {
  std::vector<std::uint64_t> ios = slices(10, 100);
  ios.insert(ios.end(), 12, 0);
  ios.insert(ios.end(), 10, 100);
  CHECK(line(in_course(ios), "stalled") ==
        "suspect j write [stalled] No I/O ended for 1.2s, where one takes 900us on average. | "
        "Look at the kernel log (`dmesg`) for resets and timeouts of the device.");
  CHECK(silent(in_course(slices(40, 100)), "stalled"));
}

}  // namespace sthd::analyze
