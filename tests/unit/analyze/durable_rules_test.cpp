#include "counted_report.hpp"
#include "support/catch.hpp"

// sync-ignored, durability-not-shown, latency-bound, write-cache-volatile, slog-*,
// log-write-indirect.
namespace sthd::analyze {

using namespace test;

namespace {

constexpr double kJob = 1000 * 4096.0;

Report on_disk(double flushes) {
  ResultRecord record = durable(1000, 900000);
  count_disk(record, 0, "sda", {.write_ios = 1000, .write_bytes = kJob, .flush_ios = flushes});
  Report report = report_of({record});
  report.target.filesystem = "ext4";
  name_disk(report, 0, "sda");
  return report;
}

Report logged(double log, double pool, double indirect, bool has_log = true) {
  ResultRecord record = durable(1000, 900000);
  count_zil(record, log, pool, indirect);
  return on_pool({record}, has_log);
}

/// Commits of `lat_ns`, of which the log device takes `log_ns` and the data disks `data_ns`.
Report committed(std::uint64_t lat_ns, double log_ns, double data_ns = 50000) {
  ResultRecord record = durable(1000, lat_ns);
  for (const int data : {0, 1}) {
    count_disk(record, data, data == 0 ? "sda" : "sdb",
               {.write_ios = 500, .write_bytes = kJob, .write_ns = data_ns});
  }
  count_disk(record, 2, "sdc", {.write_ios = 1000, .write_bytes = kJob, .write_ns = log_ns});
  return on_pool({record});
}

}  // namespace

TEST_CASE("sync=disabled invalidates sync rows", "[analyze][sync]") {
  Report report = on_pool({durable(1000, 10000)});
  CHECK(silent(report, "sync-ignored"));
  fact(report, "zfs.sync", "disabled");
  CHECK(line(report, "sync-ignored") ==
        "invalidates j write [sync ignored] The dataset has sync=disabled: sync writes return "
        "before they are durable, and a power cut loses them. | `zfs set sync=standard tank/ds`, "
        "then measure again.");
  report.records = {measured(Op::write, 1, 1, 1000, 900000)};
  CHECK(silent(report, "sync-ignored"));
}

TEST_CASE("A mount without barriers invalidates sync rows", "[analyze][sync]") {
  Report report = report_of({durable(1000, 10000)});
  fact(report, "target.barrier", "off");
  CHECK(line(report, "sync-ignored") ==
        "invalidates j write [sync ignored] The filesystem is mounted without barriers: sync "
        "writes do not flush the disk's cache, and a power cut may lose them. | Mount it without "
        "nobarrier (barrier=0), then measure again.");
  report.facts[0].value = std::string("on");
  CHECK(silent(report, "sync-ignored"));
}

TEST_CASE("Durable writes without a flush on a volatile cache are not shown durable",
          "[analyze][durable]") {
  CHECK(line(on_disk(0), "durability-not-shown") ==
        "suspect j write [durability not shown] The writes were to be durable, and no flush "
        "reached a disk whose cache is volatile: likely a power cut loses them. | Look for a layer "
        "that drops flushes: sync=disabled, nobarrier, a hypervisor's cache=unsafe.");
  CHECK(numbers(only(on_disk(0), "durability-not-shown")) == "job_write_bytes=4096000 flush_ios=0");
}

TEST_CASE("A flush, FUA, a safe cache or no counter end the accusation", "[analyze][durable]") {
  CHECK(silent(on_disk(1000), "durability-not-shown"));
  for (const auto& [name, text] : std::vector<std::pair<const char*, const char*>>{
           {"disk.0.fua", "yes"}, {"disk.0.write_cache", "write through"}}) {
    Report report = on_disk(0);
    for (Fact& each : report.facts) {
      if (each.name == name) each.value = std::string(text);
    }
    CHECK(silent(report, "durability-not-shown"));
  }
  Report report = on_disk(0);
  report.records[0].loops[0].counters.clear();
  CHECK(silent(report, "durability-not-shown"));
  report = on_disk(0);
  report.records[0].job.workload.sync = SyncMode::none;
  CHECK(silent(report, "durability-not-shown"));
}

TEST_CASE("Nothing is durable in RAM", "[analyze][durable]") {
  Report report = report_of({durable(1000, 1000)});
  report.target.filesystem = "tmpfs";
  CHECK(line(report, "durability-not-shown") ==
        "suspect j write [durability not shown] tmpfs is RAM: a sync write here is never durable. "
        "| Test a directory on the disk in question.");
  report = on_disk(1000);
  fact(report, "disk.0.transport", "ram");
  CHECK(only(report, "durability-not-shown").text ==
        "The disk is RAM: a sync write here is never durable.");
}

TEST_CASE("Single durable writes are bound by their latency", "[analyze][latency]") {
  const ResultRecord record = durable(3049, 328000);  // the whole second
  CHECK(line(record, "latency-bound") ==
        "note j write Each write waits for its commit: 12.49 MB/s = 4.00 KiB ÷ 328 us, whatever "
        "the device can stream. | Look at the latency, not at the rate; more threads or larger "
        "blocks raise it.");
}

TEST_CASE("Other writes, and fast ones, are not", "[analyze][latency]") {
  CHECK(silent(measured(Op::write, 1, 1, 3049, 328000), "latency-bound"));
  CHECK(silent(durable(1000, 328000), "latency-bound"));  // most of the time was spent elsewhere
  ResultRecord record = durable(3049, 328000);
  record.job.workload.block_size = kMiB;
  record.loops[0].write->bytes = 3049 * kMiB;
  CHECK(silent(record, "latency-bound"));
  record = durable(12000, 328000);
  record.job.workload.threads = 4;
  CHECK(silent(record, "latency-bound"));
}

TEST_CASE("A volatile cache below durable writes is named", "[analyze][cache]") {
  CHECK(line(on_disk(1000), "write-cache-volatile") ==
        "note The write cache of sda is volatile, so each durable write costs a flush. | A drive "
        "with power-loss protection needs none; never switch the flushes off instead.");
  Report report = on_disk(1000);
  report.records[0].job.workload.sync = SyncMode::none;
  CHECK(silent(report, "write-cache-volatile"));
  report = on_disk(1000);
  report.facts.clear();
  CHECK(silent(report, "write-cache-volatile"));
}

TEST_CASE("With a log device its cache alone counts", "[analyze][cache]") {
  Report report = on_pool({durable(1000, 900000)});
  CHECK(only(report, "write-cache-volatile").text ==
        "The write cache of sdc is volatile, so each durable write costs a flush.");
}

TEST_CASE("A log device that takes every sync write is confirmed", "[analyze][slog]") {
  const Report report = logged(2 * kJob, 0, 0);
  CHECK(line(report, "slog-confirmed") ==
        "note j write Good: the log device sdc took every sync write (7.81 MiB), the data disks "
        "none.");
  CHECK(numbers(only(report, "slog-confirmed")) == "zil_slog_bytes=8192000 zil_normal_bytes=0");
  for (const char* code : {"slog-absent", "slog-bypassed", "log-write-indirect"}) {
    CHECK(silent(report, code));
  }
}

TEST_CASE("A log device that takes a part, or is not counted, is not confirmed",
          "[analyze][slog]") {
  CHECK(silent(logged(kJob, kJob, 0), "slog-confirmed"));
  CHECK(silent(logged(kJob / 10, 0, kJob), "slog-confirmed"));
  CHECK(silent(logged(0, 0, 0), "slog-confirmed"));
  CHECK(silent(on_pool({durable(1000, 900000)}), "slog-confirmed"));
}

TEST_CASE("A pool without log device is told", "[analyze][slog]") {
  CHECK(line(logged(0, kJob, 0, false), "slog-absent") ==
        "note j write The pool has no log device: sync writes wait for the data disks. | `zpool "
        "add tank log DEVICE`, a drive with power-loss protection and fast flushes, moves them "
        "away.");
  CHECK(silent(logged(0, kJob, 0, true), "slog-absent"));
  CHECK(silent(logged(0, 0, 0, false), "slog-absent"));
  Report report = logged(0, kJob, 0, false);
  report.facts.clear();  // the pool's layout is not known
  CHECK(silent(report, "slog-absent"));
}

TEST_CASE("A log device that is bypassed is told with the reason", "[analyze][slog]") {
  Report report = logged(kJob / 20, 0, kJob);
  const std::string head =
      "suspect j write [log device bypassed] The log device was bypassed: the data of these sync "
      "writes went to the data disks";
  CHECK(line(report, "slog-bypassed") == head +
                                             ", so this is the pool's figure. | Watch it with "
                                             "`zpool iostat -vl tank 1`.");
  report.records[0].job.workload.direct = DirectMode::auto_;
  report.records[0].resolution.direct_effective = std::nullopt;
  CHECK(line(report, "slog-bypassed") ==
        head +
            " (O_DIRECT writes go in place on OpenZFS 2.3 and later), so this is the pool's "
            "figure. | For the log device use --buffered, as slog does. Watch it with `zpool "
            "iostat -vl tank 1`.");
  fact(report, "zfs.logbias", "throughput");
  CHECK(line(report, "slog-bypassed") ==
        head +
            " (logbias=throughput), so this is the pool's figure. | `zfs set logbias=latency "
            "tank/ds`. Watch it with `zpool iostat -vl tank 1`.");
  CHECK(silent(logged(kJob / 20, 0, kJob, false), "slog-bypassed"));
}

TEST_CASE("Indirect log writes are told with or without a log device", "[analyze][slog]") {
  Report report = logged(kJob / 20, 0, kJob);
  fact(report, "zfs.logbias", "throughput");
  CHECK(line(report, "log-write-indirect") ==
        "note j write [indirect log writes] The sync writes were indirect: their data went in "
        "place to the data disks and only a pointer to the log, the dataset has "
        "logbias=throughput. | For latency keep logbias=latency and sync writes of 32 KiB or less. "
        "Watch it with `zpool iostat -vl tank 1`.");
  CHECK_FALSE(silent(logged(0, kJob / 20, kJob, false), "log-write-indirect"));
  CHECK(silent(logged(kJob, 0, kJob / 10), "log-write-indirect"));
  CHECK(silent(durable(1000, 900000), "log-write-indirect"));
}

TEST_CASE("A fast log device below a slow host is told with the split", "[analyze][slog]") {
  CHECK(line(committed(328000, 90000), "slog-slow-host") ==
        "suspect j write [73 % of it above the log device] A commit takes 328 us and the log "
        "device 90 us of it: 238 us are spent above the device, in the host. | Look at governor, "
        "idle states and the firmware's power profile before blaming the device. Watch it with "
        "`zpool iostat -vl tank 1`.");
  CHECK(silent(committed(85000, 15000), "slog-slow-host"));    // 70 us: what ZFS itself costs
  CHECK(silent(committed(328000, 250000), "slog-slow-host"));  // the device
  Report report = committed(328000, 90000);
  report.records[0].loops[0].counters.clear();
  CHECK(silent(report, "slog-slow-host"));
}

TEST_CASE("A log device slower than the data disks is likely no help", "[analyze][slog]") {
  CHECK(line(committed(900000, 600000, 200000), "slog-slower-than-pool") ==
        "note j write The log device takes 600 us for a write, the data disks 200 us: likely the "
        "pool is faster without it. | Compare without: `zpool remove tank sdc`, run slog again, "
        "and add it back if it is slower.");
  CHECK(silent(committed(900000, 250000, 200000), "slog-slower-than-pool"));
  CHECK(silent(on_pool({durable(1000, 900000)}), "slog-slower-than-pool"));
}

TEST_CASE("Fewer commits with more threads are told", "[analyze][slog]") {
  ResultRecord few = durable(10000, 90000);
  few.job.id = "few";
  few.job.workload.threads = 8;
  ResultRecord many = durable(8000, 1900000);
  many.job.id = "many";
  many.job.workload.threads = 16;
  CHECK(line(on_pool({few, many}), "slog-regresses-with-threads") ==
        "suspect many write [slower with more threads] 16 threads commit 8000 times a second, 8 "
        "commit 10000 times: the log thrashes instead of batching. | Look at the CPU first "
        "(governor, idle states, the firmware's power profile), then at the log device's queue "
        "(`zpool iostat -vq`).");
  many.loops[0].write->ios = 9500;
  CHECK(silent(on_pool({few, many}), "slog-regresses-with-threads"));
  many.loops[0].write->ios = 8000;
  many.job.workload.block_size = 8 * kKiB;  // another job
  CHECK(silent(on_pool({few, many}), "slog-regresses-with-threads"));
  CHECK(silent(on_pool({many}), "slog-regresses-with-threads"));
}

}  // namespace sthd::analyze
