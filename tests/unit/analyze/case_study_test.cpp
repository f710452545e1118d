#include "counted_report.hpp"
#include "support/catch.hpp"

// The "slow" Optane log device of a TrueNAS server: what a person once found out by hand, step by
// step, as findings. Dell PowerEdge R630, Xeon E5-2680 v3, OpenZFS 2.3, six NVMe drives as mirrors,
// P1600X as log; sync=always. Frequencies, latencies and rates are those that were measured then.
namespace sthd::analyze {

using namespace test;

namespace {

ResultRecord row(const char* label, Op op, std::uint64_t block, std::uint32_t depth,
                 std::uint32_t threads, std::uint64_t ios, std::uint64_t lat_ns) {
  ResultRecord record = measured(op, depth, threads, ios, lat_ns);
  record.job.id = record.job.template_id = record.job.label = label;
  record.job.workload.block_size = block;
  OpResult& result = op == Op::read ? *record.loops[0].read : *record.loops[0].write;
  result.bytes = ios * block;
  record.resolution.direct_effective = std::nullopt;  // "writes only whole records past the ARC"
  return record;
}

/// RND4K Q32T1 read: 137728 IOPS, none of them from a drive.
ResultRecord reads_row() {
  ResultRecord record = row("RND4K read", Op::read, 4096, 32, 1, 137728, 220000);
  for (int disk = 0; disk < 3; ++disk) count_disk(record, disk, "nvme" + std::to_string(disk), {});
  count(record, "arc.demand_data_hits", 137728);
  count(record, "arc.demand_data_misses", 0);
  return record;
}

/// SEQ1M Q8T1 write: 9.3 MB/s, one commit after the other, its data past the log.
ResultRecord stream_row() {
  ResultRecord record = row("SEQ1M write", Op::write, kMiB, 8, 1, 9, 108000000);
  count_zil(record, 9 * 4096.0, 0, 9.0 * kMiB);
  return record;
}

/// 4K sync T1: 328 us a commit, of which the log device's wait is 90 us.
ResultRecord commit_row() {
  ResultRecord record = row("4K sync", Op::write, 4096, 1, 1, 3049, 328000);
  record.job.workload.sync = SyncMode::o_sync;
  record.job.workload.direct = DirectMode::off;
  record.resolution.direct_effective = false;
  count_disk(record, 0, "nvme0", {.write_ios = 20, .write_bytes = 2e6, .write_ns = 90000});
  count_disk(record, 1, "nvme1", {.write_ios = 20, .write_bytes = 2e6, .write_ns = 90000});
  count_disk(record, 2, "nvme2", {.write_ios = 3049, .write_bytes = 2.5e7, .write_ns = 90000});
  count_zil(record, 2.5e7, 0, 0);
  count(record, "cpu.mhz_mean", 1200.069);
  return record;
}

Report server() {
  Report report = report_of({reads_row(), stream_row(), commit_row()});
  report.target.filesystem = "zfs";
  fact(report, "host.platform", "truenas");
  fact(report, "host.vendor", "Dell Inc.");
  fact(report, "cpu.governor", "schedutil");
  fact(report, "cpu.driver", "intel_cpufreq");
  fact(report, "cpu.mhz_min", 1200);
  fact(report, "cpu.mhz_max", 3300);
  fact(report, "cpu.mhz_now", 1200.069);
  fact(report, "cpu.idle_latency_max_us", 133);
  fact(report, "zfs.version", "2.3.0-1");
  fact(report, "zfs.pool", "nvme-ultra-r10");
  fact(report, "zfs.dataset", "nvme-ultra-r10/vm-root");
  fact(report, "zfs.sync", "always");
  fact(report, "zfs.logbias", "latency");
  fact(report, "zfs.data.0.name", "nvme0");
  fact(report, "zfs.log.0.name", "nvme2");
  name_disk(report, 0, "nvme0");
  name_disk(report, 1, "nvme1");
  name_disk(report, 2, "nvme2", "log");
  report.facts.back().value = std::string("yes");
  return report;
}

std::string text(const Report& report, std::string_view code, std::string_view job) {
  for (const Finding& finding : analyze(report)) {
    if (finding.code == code && finding.job == job) return finding.text;
  }
  return "";
}

}  // namespace

TEST_CASE("Step 1: the reads are RAM, not disk", "[analyze][case]") {
  CHECK(text(server(), "cached-reads", "RND4K read") ==
        "100 % of the reads never reached the device: they came from the ARC, which is RAM.");
}

TEST_CASE("Step 2: sync=always makes writes wait for their latency", "[analyze][case]") {
  CHECK(text(server(), "latency-bound", "4K sync") ==
        "Each write waits for its commit: 12.49 MB/s = 4.00 KiB ÷ 328 us, whatever the device can "
        "stream.");
  CHECK(text(server(), "latency-bound", "SEQ1M write") ==
        "Each write waits for its commit: 9.44 MB/s = 1.00 MiB ÷ 108000 us, whatever the device "
        "can stream.");
}

TEST_CASE("Step 3: the Q label is not the depth", "[analyze][case]") {
  CHECK(text(server(), "depth-collapsed", "SEQ1M write") ==
        "On average 1.0 of 8 I/Os were in flight, so this is a figure for that depth.");
}

TEST_CASE("Step 4: large sync writes bypass the log device", "[analyze][case]") {
  CHECK(text(server(), "slog-bypassed", "SEQ1M write") ==
        "The log device was bypassed: the data of these sync writes went to the data disks "
        "(O_DIRECT writes go in place on OpenZFS 2.3 and later), so this is the pool's figure.");
}

TEST_CASE("Step 5: the log device takes the small ones, and the time is above it",
          "[analyze][case]") {
  CHECK(text(server(), "slog-confirmed", "4K sync") ==
        "Good: the log device nvme2 took every sync write (23.84 MiB), the data disks none.");
  CHECK(text(server(), "slog-slow-host", "4K sync") ==
        "A commit takes 328 us and the log device 90 us of it: 238 us are spent above the device, "
        "in the host.");
  CHECK(line(server(), "slog-slow-host").find("zpool iostat -vl nvme-ultra-r10 1") !=
        std::string::npos);
}

TEST_CASE("Step 6: the cores are parked at 1200 MHz", "[analyze][case]") {
  CHECK(line(server(), "cpu-governor") ==
        "suspect The cores ran at 1200 MHz of 3300, their lowest: the governor schedutil clocks "
        "cores down that wait for I/O, and each I/O pays for it. | Set it for now: `echo "
        "performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor`; to keep it, add "
        "the same command under System > Advanced Settings > Init/Shutdown Scripts, Type Command, "
        "When Post Init. The firmware may overrule it: set the BIOS's System Profile to "
        "Performance (iDRAC: `racadm set BIOS.SysProfileSettings.SysProfile PerfOptimized`).");
  CHECK(text(server(), "cpu-idle-states", "4K sync") ==
        "The cores may sleep so deeply that waking takes 133 us, and a single I/O took 328 us: "
        "likely a part of it is waking up.");
}

TEST_CASE("After the fixes none of the host's findings is left", "[analyze][case]") {
  Report report = server();
  ResultRecord& record = report.records[2];
  record = row("4K sync", Op::write, 4096, 1, 1, 10687, 85500);
  record.job.workload.sync = SyncMode::o_sync;
  record.job.workload.direct = DirectMode::off;
  count_disk(record, 0, "nvme0", {});
  count_disk(record, 1, "nvme1", {});
  count_disk(record, 2, "nvme2", {.write_ios = 10687, .write_bytes = 8.8e7, .write_ns = 15000});
  count_zil(record, 8.8e7, 0, 0);
  for (Fact& each : report.facts) {
    if (each.name == "cpu.governor") each.value = std::string("performance");
    if (each.name == "cpu.idle_latency_max_us") each.value = 2.0;  // C1
  }
  for (const char* code : {"cpu-governor", "cpu-idle-states", "slog-slow-host"}) {
    CHECK(silent(report, code));
  }
  CHECK_FALSE(silent(report, "slog-confirmed"));
}

}  // namespace sthd::analyze
