#include "kit/process/fio_by_hand.hpp"

#include "support/catch.hpp"

using namespace sthd;
using process::fio_by_hand;

namespace {

Resolution psync(std::optional<bool> direct = false) {
  Resolution resolution;
  resolution.backend = "native-psync";
  resolution.engine = "psync";
  resolution.direct_effective = direct;
  return resolution;
}

Workload random_write() {
  Workload w;
  w.op = Op::write;
  w.pattern = Pattern::random;
  w.threads = 4;
  w.sync = SyncMode::o_sync;
  w.cache = CacheMode::warm;
  w.size = 64 * kMiB + 4096;
  w.runtime_ns = 5 * kSecond;
  return w;
}

std::string line(const Workload& workload, const Resolution& resolution = psync(),
                 const std::string& directory = "/mnt/pool") {
  Job job;
  job.workload = workload;
  return fio_by_hand(job, resolution, directory).command;
}

std::string why_not(const Workload& workload, const Resolution& resolution = psync()) {
  Job job;
  job.workload = workload;
  const auto by_hand = fio_by_hand(job, resolution, "/mnt/pool");
  CHECK(by_hand.command.empty());
  return by_hand.why_not;
}

bool has(const std::string& text, std::string_view option) {
  return text.find(option) != std::string::npos;
}

}  // namespace

TEST_CASE("By hand, fio lays out a file, measures the row on it and removes it",
          "[process][fio_by_hand]") {
  CHECK(line(random_write()) ==
        "fio --filename=/mnt/pool/speedtest-hd.fio.bench --fallocate=none --exitall_on_error=1"
        " --name=layout --rw=write --bs=1048576 --size=68157440 --direct=0 --refill_buffers"
        " --end_fsync=1"
        " --name=row --stonewall --ioengine=psync --rw=randwrite --bs=4096 --iodepth=1 --numjobs=4"
        " --thread --direct=0 --size=67112960 --norandommap --time_based --runtime=5000ms"
        " --refill_buffers --sync=1 --invalidate=0 --pre_read=1"
        " --randrepeat=0 --lat_percentiles=1 --group_reporting=1 --unlink=1");
}

TEST_CASE("By hand, fio brings the cache into the state that the row asks for",
          "[process][fio_by_hand]") {
  Workload w = random_write();
  w.cache = CacheMode::cold;
  CHECK(has(line(w), " --invalidate=1 "));
  CHECK_FALSE(has(line(w), "pre_read"));
  w.cache = CacheMode::as_is;
  CHECK(has(line(w), " --invalidate=0 "));
  CHECK_FALSE(has(line(w), "pre_read"));
  w.cache = CacheMode::warm;
  CHECK_FALSE(has(line(w, psync(true)), "pre_read"));  // it would read past the cache
}

TEST_CASE("By hand, fio uses O_DIRECT where the row did, also where its effect is not known",
          "[process][fio_by_hand]") {
  Workload w = random_write();
  w.sync = SyncMode::none;
  CHECK(has(line(w, psync(true)), " --size=68157440 --direct=1 "));
  CHECK(has(line(w, psync(true)), " --thread --direct=1 "));
  CHECK_FALSE(has(line(w, psync(true)), "--fdatasync"));
  CHECK(has(line(w, psync(std::nullopt)), " --thread --direct=1 "));
  CHECK(has(line(w, psync(std::nullopt)), " --fdatasync="));
  CHECK(has(line(w, psync(false)), " --thread --direct=0 "));
}

TEST_CASE("By hand, a row that begins with an empty file lets fio extend one",
          "[process][fio_by_hand]") {
  Workload w = random_write();
  w.layout = Layout::none;
  w.pattern = Pattern::sequential;
  const std::string text = line(w);
  CHECK(has(text, " --name=row --create_on_open=1 "));
  CHECK_FALSE(has(text, "layout"));
  CHECK_FALSE(has(text, "stonewall"));
  CHECK_FALSE(has(text, "pre_read"));
  CHECK(has(text, " --unlink=1"));
}

TEST_CASE("By hand, the file is in the target, whatever that is called", "[process][fio_by_hand]") {
  CHECK(line(random_write(), psync(), "/a b/it's:x\\y")
            .starts_with("fio '--filename=/a b/it'\\''s\\:x\\y/speedtest-hd.fio.bench' "));
  CHECK(line(random_write(), psync(), "/a\nb")
            .starts_with(
                "fio \"$(printf -- '--filename=/a\\012b/speedtest-hd.fio.bench')\" --fallocate"));
}

TEST_CASE("What fio cannot do by hand has no command, and a reason", "[process][fio_by_hand]") {
  Workload w = random_write();
  CHECK(why_not(w, {}).empty());  // nothing ran
  CHECK_FALSE(line(w).empty());
  Resolution other = psync();
  other.engine = "warp";
  CHECK(why_not(w, other) == "fio has no engine warp");
  w.condition = Condition::cores_awake;
  CHECK(why_not(w) == "the condition cores-awake is not for fio to make");
  w.condition = Condition::as_is;
  w.rate_iops = 1000;
  CHECK(why_not(w) ==
        "fio measures no response time from the moment an I/O was due; leave rate_iops to a "
        "built-in engine");
  w.rate_iops = 0;
  w.pattern = Pattern::sequential;
  w.region = Region::shared;
  CHECK(why_not(w) ==
        "fio's threads cannot share one sequential position; use region = \"own\" or \"same\"");
}
