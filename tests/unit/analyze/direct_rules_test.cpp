#include "counted_report.hpp"
#include "support/catch.hpp"

// direct-ignored, direct-refused, submit-blocked, engine-fell-back, backend-died-after-results.
namespace sthd::analyze {

using namespace test;

namespace {

ResultRecord wanted_direct(std::optional<bool> effective, std::string reason) {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  record.job.workload.direct = DirectMode::auto_;
  record.resolution.direct_effective = effective;
  record.resolution.direct_reason = std::move(reason);
  return record;
}

/// Asynchronous reads at depth 8, of whose 7.2 ms so much was spent in the submission.
ResultRecord submitted(std::uint64_t slat_ns, double share) {
  ResultRecord record = measured(Op::read, 8, 1, 1000, 7200000);
  record.resolution.engine = "io_uring";
  record.loops[0].read->slat.emplace();
  record.loops[0].read->clat.emplace();
  for (int i = 0; i < 1000; ++i) {
    record.loops[0].read->slat->add(slat_ns);
    record.loops[0].read->clat->add(7200000 - slat_ns);
  }
  record.loops[0].submit_ns = static_cast<std::uint64_t>(share * 1e9);
  return record;
}

}  // namespace

TEST_CASE("An O_DIRECT that means nothing is told with its reason", "[analyze][direct]") {
  const ResultRecord record = wanted_direct(false, "tmpfs keeps its files in RAM");
  CHECK(line(record, "direct-ignored") ==
        "note j read O_DIRECT would mean nothing here, so the row was buffered: tmpfs keeps its "
        "files in RAM. | Read the row as one through RAM; for the device's figure test a "
        "filesystem that has direct I/O.");
  CHECK(silent(record, "direct-refused"));
}

TEST_CASE("An O_DIRECT that the kernel refuses is told with its error", "[analyze][direct]") {
  const ResultRecord record = wanted_direct(false, "open with O_DIRECT: Invalid argument (EINVAL)");
  CHECK(line(record, "direct-refused") ==
        "note j read O_DIRECT was refused, so the row was buffered: open with O_DIRECT: Invalid "
        "argument (EINVAL). | Read the row as one through RAM; for the device's figure test a "
        "filesystem that has direct I/O.");
  CHECK(silent(record, "direct-ignored"));
}

TEST_CASE("Blocks that do not fit O_DIRECT have a remedy of their own", "[analyze][direct]") {
  const ResultRecord record = wanted_direct(
      false, "blocks of 512 bytes are no multiple of the 4096 that O_DIRECT needs here");
  CHECK(only(report_of({record}), "direct-refused").remedy ==
        "Use a block size that is a multiple of the alignment: --set block_size=4KiB.");
}

TEST_CASE("Real O_DIRECT, and buffering by choice, are not mentioned", "[analyze][direct]") {
  ResultRecord record = wanted_direct(true, "ext4: direct I/O past the page cache");
  CHECK(silent(record, "direct-ignored"));
  CHECK(silent(record, "direct-refused"));
  record = wanted_direct(false, "buffered by choice");
  record.job.workload.direct = DirectMode::off;
  CHECK(silent(record, "direct-ignored"));
  CHECK(silent(record, "direct-refused"));
}

TEST_CASE("Where nothing tells beforehand, the disks tell afterwards", "[analyze][direct]") {
  ResultRecord record = wanted_direct(std::nullopt, "overlay passes direct I/O on");
  CHECK(silent(record, "direct-ignored"));
  count_disk(record, 0, "sda", {.read_ios = 1, .read_bytes = 4096});
  CHECK(line(record, "direct-ignored") ==
        "suspect j read [O_DIRECT ignored] O_DIRECT was accepted and ignored: 100 % of the direct "
        "reads never reached the device. | Read the row as one through RAM; for the device's "
        "figure test a filesystem that has direct I/O.");
  record.loops[0].counters.clear();
  count_disk(record, 0, "sda", {.read_ios = 1000, .read_bytes = 4096000});
  CHECK(silent(record, "direct-ignored"));
}

TEST_CASE("An engine that waits in its submission is told", "[analyze][submit]") {
  CHECK(line(submitted(5000000, 0.95), "submit-blocked") ==
        "suspect j read [blocked in submission] io_uring served the I/O before its submission call "
        "returned (95 % of the time was spent there), so the queue existed in name only. | Use "
        "O_DIRECT on a filesystem that has it, a file that is already laid out, or --engine psync, "
        "which serves the depth with threads.");
}

TEST_CASE("An engine that only hands I/O over is not", "[analyze][submit]") {
  CHECK(silent(submitted(50000, 0.05), "submit-blocked"));
  CHECK(silent(submitted(5000000, 0.5), "submit-blocked"));  // a batch's wait, not the time's
  ResultRecord record = submitted(5000000, 0.95);
  record.loops[0].submit_ns.reset();
  CHECK(silent(record, "submit-blocked"));
}

TEST_CASE("Another engine than the first of the list is told with the reason",
          "[analyze][engine]") {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  record.job.workload.engines = {"io_uring", "libaio", "psync"};
  record.resolution.engine = "libaio";
  record.resolution.tried = {{"io_uring by native-uring", "EPERM from io_uring_setup"}};
  CHECK(line(record, "engine-fell-back") ==
        "note j read libaio ran in place of io_uring: EPERM from io_uring_setup. | Figures of "
        "different engines do not compare; name one to be sure: --engine libaio.");
  record.resolution.engine = "io_uring";
  CHECK(silent(record, "engine-fell-back"));
  record.job.workload.engines = {"psync"};
  record.resolution.engine = "psync";
  CHECK(silent(record, "engine-fell-back"));
}

TEST_CASE("A backend that died with results in hand is told", "[analyze][died]") {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  record.resolution.backend = "fio-exec";
  CHECK(silent(record, "backend-died-after-results"));
  record.status = Status::failed;
  record.reason = "fio was ended by signal SIGBUS";
  CHECK(line(record, "backend-died-after-results") ==
        "invalidates j read fio-exec died after it had printed results, so these are not to be "
        "trusted: fio was ended by signal SIGBUS. | Run the row again; if it dies again, use a "
        "built-in engine.");
  record.loops.clear();
  CHECK(silent(record, "backend-died-after-results"));
  record.reason = "fio was ended by signal SIGSEGV after it had printed its results";
  CHECK(line(record, "backend-died-after-results") ==
        "invalidates j read fio-exec died after it had printed results, so these are not to be "
        "trusted: fio was ended by signal SIGSEGV after it had printed its results. | Run the row "
        "again; if it dies again, use a built-in engine.");
}

}  // namespace sthd::analyze
