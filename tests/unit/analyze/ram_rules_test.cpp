#include "counted_report.hpp"
#include "support/catch.hpp"

// cached-reads, cached-writes, file-smaller-than-cache, working-set-tiny, compressible-data,
// target-mismatch, unit-mismatch.
namespace sthd::analyze {

using namespace test;

namespace {

constexpr double kJob = 1000 * 4096.0;

ResultRecord buffered_read(double device_bytes) {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  record.job.workload.direct = DirectMode::off;
  record.resolution.direct_effective = false;
  count_disk(record, 0, "sda", {.read_ios = 10, .read_bytes = device_bytes});
  return record;
}

ResultRecord buffered_write(double device_bytes) {
  ResultRecord record = measured(Op::write, 1, 1, 1000, 900000);
  record.job.workload.direct = DirectMode::off;
  record.resolution.direct_effective = false;
  count_disk(record, 0, "sda", {.write_ios = 10, .write_bytes = device_bytes});
  return record;
}

}  // namespace

TEST_CASE("Reads that no disk served came from RAM", "[analyze][cached]") {
  const Report report = report_of({buffered_read(0)});
  CHECK(line(report, "cached-reads") ==
        "invalidates j read [100 % from RAM] 100 % of the reads never reached the device: they "
        "came from RAM. | Use --direct, or a file larger than RAM.");
  CHECK(numbers(only(report, "cached-reads")) == "job_read_bytes=4096000 device_read_bytes=0");
  CHECK(silent(report, "cached-reads-possible"));
}

TEST_CASE("Reads that the disks served are not accused", "[analyze][cached]") {
  CHECK(silent(buffered_read(kJob), "cached-reads"));
  CHECK(silent(buffered_read(kJob * 0.95), "cached-reads"));
  CHECK(silent(buffered_read(kJob), "cached-reads-possible"));
}

TEST_CASE("Partly cached reads are suspect, asked for ones a note", "[analyze][cached]") {
  CHECK(only(report_of({buffered_read(kJob * 0.7)}), "cached-reads").severity == Severity::suspect);
  ResultRecord warm = buffered_read(0);
  warm.job.workload.cache = CacheMode::warm;
  CHECK(only(report_of({warm}), "cached-reads").severity == Severity::note);
}

TEST_CASE("Direct reads that reach no device are told too", "[analyze][cached]") {
  ResultRecord record = buffered_read(0);
  record.resolution.direct_effective = true;
  CHECK(only(report_of({record}), "cached-reads").text ==
        "100 % of the reads never reached the device, though O_DIRECT was used: the blocks were "
        "never written, or a layer in between has a cache.");
}

TEST_CASE("Without counters no read is called cached", "[analyze][cached]") {
  ResultRecord record = buffered_read(0);
  record.loops[0].counters.clear();
  CHECK(silent(record, "cached-reads"));
  CHECK_FALSE(silent(record, "cached-reads-possible"));
}

TEST_CASE("Where no disk is counted the ARC tells, and only likely", "[analyze][cached]") {
  ResultRecord record = buffered_read(0);
  record.loops[0].counters.clear();
  count(record, "arc.demand_data_hits", 990);
  count(record, "arc.demand_data_misses", 10);
  Report report = report_of({record});
  CHECK(silent(report, "cached-reads"));  // not on ZFS: somebody else's ARC
  report.target.filesystem = "zfs";
  CHECK(line(report, "cached-reads") ==
        "invalidates j read [likely 99 % from RAM] Likely 99 % of the reads came from the ARC, "
        "which is RAM. | Use --direct, or a file larger than RAM.");
}

TEST_CASE("What storage served from other disks is no cached read", "[analyze][mismatch]") {
  ResultRecord record = buffered_read(0);
  count(record, "own.read_bytes", kJob);
  Report report = report_of({record});
  name_disk(report, 0, "nvme0n1");
  CHECK(silent(report, "cached-reads"));
  CHECK(line(report, "target-mismatch") ==
        "suspect j read [other disk] The reads were served by storage, but not by nvme0n1: the "
        "disks below the target are others. | Look at the chain that `speedtest-hd probe TARGET` "
        "shows; what it says of disks does not hold for this row.");
  fact(report, "chain.0.kind", "loop");  // a cache below the loop device explains it
  CHECK(silent(report, "target-mismatch"));
  CHECK_FALSE(silent(report, "cached-reads"));
}

TEST_CASE("Disks that served what storage counts are the target's", "[analyze][mismatch]") {
  ResultRecord record = buffered_read(kJob);
  count(record, "own.read_bytes", kJob);
  CHECK(silent(record, "target-mismatch"));
  CHECK(silent(buffered_read(0), "target-mismatch"));  // own.read_bytes missing
}

TEST_CASE("Buffered writes that reached no disk are RAM's", "[analyze][cached]") {
  CHECK(line(buffered_write(0), "cached-writes") ==
        "invalidates j write [100 % stayed in RAM] 100 % of the writes had not reached the device "
        "when the row ended: the rate is RAM's. | Use --direct, or count the flush in (end_fsync = "
        "true).");
  CHECK(numbers(only(report_of({buffered_write(0)}), "cached-writes")) ==
        "job_write_bytes=4096000 device_write_bytes=0");
}

TEST_CASE("Writes that reached the disks, or were direct or durable, are not",
          "[analyze][cached]") {
  CHECK(silent(buffered_write(kJob * 0.63), "cached-writes"));
  ResultRecord record = buffered_write(0);
  record.resolution.direct_effective = true;
  CHECK(silent(record, "cached-writes"));
  record = buffered_write(0);
  record.job.workload.sync = SyncMode::fsync;
  CHECK(silent(record, "cached-writes"));
  record = buffered_write(0);
  record.loops[0].counters.clear();
  CHECK(silent(record, "cached-writes"));
}

TEST_CASE("A buffered file that RAM can hold is told with both sizes", "[analyze][cached]") {
  Report report = report_of({buffered_read(0)});
  CHECK(silent(report, "file-smaller-than-cache"));  // how much RAM there is is not known
  fact(report, "memory.total_bytes", 8.0 * kGiB);
  CHECK(line(report, "file-smaller-than-cache") ==
        "note j read The file (1.00 GiB) fits into RAM (8.00 GiB), so buffered reads need no "
        "device. | Use --direct, or a file larger than RAM.");
  fact(report, "cgroup.memory_max_bytes", 512.0 * kMiB);
  CHECK(silent(report, "file-smaller-than-cache"));
}

TEST_CASE("A small file that the device served all the same is not mentioned",
          "[analyze][cached]") {
  Report report = report_of({buffered_read(kJob)});
  fact(report, "memory.total_bytes", 8.0 * kGiB);
  CHECK(silent(report, "file-smaller-than-cache"));
}

TEST_CASE("Direct reads of a tiny file may be the drive's cache", "[analyze][tiny]") {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  record.job.workload.size = 2 * kMiB;
  CHECK(line(record, "working-set-tiny") ==
        "note j read The file of 2.00 MiB was read 2.0 times: the drive's or controller's own "
        "cache may have served it. | Use a larger file: --size 1GiB or more.");
  record.job.workload.size = 64 * kMiB;  // not read once
  CHECK(silent(record, "working-set-tiny"));
  record.job.workload.size = kGiB;
  CHECK(silent(record, "working-set-tiny"));
}

TEST_CASE("Zeros on a target that compresses are nothing", "[analyze][data]") {
  ResultRecord record = buffered_write(4096);
  record.job.workload.buffer = BufferKind::zeros;
  Report report = report_of({record});
  CHECK(silent(report, "compressible-data"));  // whether it compresses is not known
  fact(report, "target.compression", "on (zstd:3)");
  CHECK(line(report, "compressible-data") ==
        "invalidates j write [zeros, compressed] Zeros were written and the target compresses (on "
        "(zstd:3)): next to nothing was stored. | Use data that does not compress: --set "
        "buffer=random, the default.");
  CHECK(silent(report, "cached-writes"));  // that is not why the device saw so little
  report.records[0].job.workload.buffer = BufferKind::random;
  CHECK(silent(report, "compressible-data"));
}

TEST_CASE("Zeros where nothing compresses are as good as any data", "[analyze][data]") {
  ResultRecord record = buffered_write(kJob);
  record.job.workload.buffer = BufferKind::zeros;
  Report report = report_of({record});
  fact(report, "target.compression", "off");
  CHECK(silent(report, "compressible-data"));
}

TEST_CASE("Bytes and I/Os that contradict each other invalidate the row", "[analyze][units]") {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  CHECK(silent(record, "unit-mismatch"));
  record.loops[0].read->bytes = 4000000;  // kB for KiB
  CHECK(line(record, "unit-mismatch") ==
        "invalidates j read [units disagree] MB/s and IOPS contradict each other: 97.7 % of IOPS x "
        "block size. | Report it with the json of this run (-f json:FILE): native-psync counts "
        "wrongly.");
}

}  // namespace sthd::analyze
