#include "counted_report.hpp"
#include "support/catch.hpp"

// What real pools did that other filesystems do not.
namespace sthd::analyze {

using namespace test;

namespace {

constexpr double kJob = 1000 * 4096.0;

/// A row whose commits took 900 us, 60 us of it on the log device.
ResultRecord committed(double log, double indirect) {
  ResultRecord record = durable(1000, 900'000);
  count_disk(record, 0, "sda", {.flush_ios = 12});  // of transaction groups, not the writes'
  count_disk(record, 1, "sdb", {});
  count_disk(record, 2, "sdc", {.write_ios = 1000, .write_bytes = kJob, .write_ns = 60'000});
  count_zil(record, log, 0, indirect);
  return record;
}

}  // namespace

TEST_CASE("OpenZFS 2.1 counts what its ARC serves as read from storage", "[analyze][zfs]") {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 50'000);
  record.resolution.direct_effective = false;
  count_disk(record, 0, "sda", {.read_ios = 1, .read_bytes = 4096});
  count(record, "own.read_bytes", kJob);
  Report report = on_pool({record});
  CHECK(silent(report, "target-mismatch"));
  CHECK(only(report, "cached-reads").text ==
        "100 % of the reads never reached the device: they came from the ARC, which is RAM.");
  report.target.filesystem = "ext4";  // there, it says that they came from another disk
  CHECK(silent(report, "cached-reads"));
  CHECK_FALSE(silent(report, "target-mismatch"));
  fact(report, "chain.0.kind", "zfs");  // below a zvol it may be the ARC again
  CHECK_FALSE(silent(report, "cached-reads"));
  CHECK(silent(report, "target-mismatch"));
}

TEST_CASE("With sync=disabled nothing is said of commits, and nothing is durable",
          "[analyze][zfs]") {
  Report report = on_pool({committed(kJob, 0)});
  judge(report);
  CHECK(report.records[0].verdict.durability == Durability::shown);
  CHECK_FALSE(silent(report, "latency-bound"));
  CHECK_FALSE(silent(report, "slog-confirmed"));
  CHECK_FALSE(silent(report, "write-cache-volatile"));
  fact(report, "zfs.sync", "disabled");
  for (const char* code : {"latency-bound", "slog-confirmed", "slog-slow-host",
                           "slog-regresses-with-threads", "write-cache-volatile"}) {
    INFO(code);
    CHECK(silent(report, code));
  }
  CHECK_FALSE(silent(report, "sync-ignored"));
  judge(report);
  CHECK(report.records[0].verdict.durability == Durability::not_shown);
}

TEST_CASE("A host is slow beside its log only where the log took the data", "[analyze][zfs]") {
  CHECK_FALSE(silent(on_pool({committed(kJob, 0)}), "slog-slow-host"));
  CHECK(silent(on_pool({committed(kJob / 10, kJob)}), "slog-slow-host"));
}

TEST_CASE("A log device is compared with data disks that flush as often", "[analyze][zfs]") {
  ResultRecord record = durable(1000, 900'000);
  const DiskCounts data{.write_ios = 500, .write_ns = 100'000, .flush_ios = 5, .flush_ns = 400'000};
  count_disk(record, 0, "sda", data);
  count_disk(record, 1, "sdb", data);
  ResultRecord same = record;
  count_disk(same, 2, "sdc",
             {.write_ios = 1000, .write_ns = 100'000, .flush_ios = 1000, .flush_ns = 400'000});
  CHECK(silent(on_pool({same}), "slog-slower-than-pool"));
  ResultRecord slower = record;
  count_disk(slower, 2, "sdc",
             {.write_ios = 1000, .write_ns = 100'000, .flush_ios = 1000, .flush_ns = 700'000});
  CHECK(only(on_pool({slower}), "slog-slower-than-pool").text ==
        "The log device takes 800 us for a write, the data disks 500 us: likely the pool is faster "
        "without it.");
}

TEST_CASE("The cache of a zvol is no drive's", "[analyze][zfs]") {
  Report report = report_of({durable(1000, 900'000)});
  name_disk(report, 0, "zd0");
  CHECK_FALSE(silent(report, "write-cache-volatile"));
  fact(report, "chain.0.kind", "zfs");
  CHECK(silent(report, "write-cache-volatile"));
}

TEST_CASE("Small writes into whole records are the job's own load", "[analyze][zfs]") {
  ResultRecord record = durable(1000, 900'000);
  count_disk(record, 0, "sda", {.write_ios = 1000, .write_bytes = kJob * 60, .write_ns = 60'000});
  Report report = on_pool({record});
  fact(report, "zfs.recordsize_bytes", 128 * 1024);
  CHECK(silent(report, "foreign-load"));  // up to 64 times what was asked for
  Report small = on_pool({record});
  fact(small, "zfs.recordsize_bytes", 4096);
  CHECK_FALSE(silent(small, "foreign-load"));
}

}  // namespace sthd::analyze
