#include "kit/process/fio_command.hpp"

#include <unistd.h>

#include "kit/process/child.hpp"
#include "kit/process/fio_program.hpp"
#include "support/catch.hpp"

using namespace sthd;
using process::FioSettings;

namespace {

Job job_of(const Workload& workload) {
  Job job;
  job.workload = workload;
  return job;
}

std::string line(const Workload& workload, const FioSettings& settings) {
  return process::command_line("fio", process::fio_arguments(job_of(workload), settings));
}

constexpr std::string_view kTail =
    " --randrepeat=0 --invalidate=0 --fallocate=none --allow_file_create=0 --exitall_on_error=1"
    " --lat_percentiles=1 --clat_percentiles=1 --slat_percentiles=1";

}  // namespace

TEST_CASE("A sync write job is one fio line", "[process][fio_command]") {
  Workload w;
  w.op = Op::write;
  w.pattern = Pattern::random;
  w.threads = 4;
  w.sync = SyncMode::o_sync;
  w.runtime_ns = 5 * kSecond;
  w.ramp_ns = kSecond;
  CHECK(line(w, {.filename = "/proc/12/fd/3", .engine = "psync"}) ==
        "fio --name=j0 --filename=/proc/12/fd/3 --ioengine=psync --rw=randwrite --bs=4096"
        " --iodepth=1 --numjobs=4 --thread --direct=0 --size=1073741824 --norandommap --time_based"
        " --runtime=5000ms --ramp_time=1000ms --refill_buffers --sync=1" +
            std::string(kTail));
}

TEST_CASE("A sequential job with threads works in own parts", "[process][fio_command]") {
  Workload w;
  w.block_size = kMiB;
  w.queue_depth = 8;
  w.threads = 3;
  w.runtime_ns = 1500 * kMicrosecond;
  CHECK(line(w, {.filename = "/mnt/a:b\\c d", .engine = "libaio", .direct = true, .group = true}) ==
        "fio --readonly --name=j0 '--filename=/mnt/a\\:b\\c d' --ioengine=libaio --rw=read"
        " --bs=1048576 --iodepth=8 --numjobs=3 --thread --direct=1 --size=357564416"
        " --offset_increment=357564416 --time_based --runtime=1500us" +
            std::string(kTail) + " --group_reporting=1");
}

TEST_CASE("psync serves a queue depth with threads", "[process][fio_command]") {
  Workload w;
  w.pattern = Pattern::random;
  w.queue_depth = 32;
  w.threads = 16;
  w.runtime_ns = kSecond;
  CHECK(process::fio_jobs(w, "psync") == 512);
  CHECK(process::fio_jobs(w, "libaio") == 16);
  const std::string text = line(w, {.filename = "/proc/1/fd/3", .engine = "psync"});
  CHECK(text.find(" --iodepth=1 --numjobs=512 ") != std::string::npos);
}

TEST_CASE("Limits are shared out among the threads", "[process][fio_command]") {
  Workload w;
  w.op = Op::write;
  w.threads = 4;
  w.pattern = Pattern::random;
  w.ios = 100;
  w.end_fsync = true;
  w.buffer = BufferKind::zeros;
  CHECK(line(w, {.filename = "/proc/1/fd/3", .engine = "psync"}) ==
        "fio --name=j0 --filename=/proc/1/fd/3 --ioengine=psync --rw=randwrite --bs=4096"
        " --iodepth=1 --numjobs=4 --thread --direct=0 --size=1073741824 --norandommap"
        " --io_size=102400 --zero_buffers --fdatasync=65536 --end_fsync=1" +
            std::string(kTail));
}

TEST_CASE("The limit in I/Os is the smaller one", "[process][fio_command]") {
  struct Row {
    std::uint64_t ios, bytes, runtime_ns, limit;
  };
  for (const Row& row :
       {Row{0, 0, kSecond, 0}, Row{7, 0, 0, 7}, Row{0, 8192, 0, 2}, Row{0, 8193, 0, 3},
        Row{7, 8192, kSecond, 2}, Row{1, 8192, 0, 1}, Row{0, 0, 0, kGiB / 4096}}) {
    Workload w;
    w.ios = row.ios;
    w.bytes = row.bytes;
    w.runtime_ns = row.runtime_ns;
    CHECK(limit_in_ios(w) == row.limit);
  }
}

TEST_CASE("Sync modes are fio's own", "[process][fio_command]") {
  const auto has = [](SyncMode sync, bool flush, std::string_view option) {
    Workload w;
    w.op = Op::write;
    w.sync = sync;
    w.runtime_ns = kSecond;
    const FioSettings settings{.filename = "f", .engine = "psync", .flush = flush};
    return line(w, settings).find(option) != std::string::npos;
  };
  CHECK(has(SyncMode::o_dsync, true, " --sync=dsync "));
  CHECK(has(SyncMode::fsync, true, " --fsync=1 "));
  CHECK(has(SyncMode::fdatasync, true, " --fdatasync=1 "));
  CHECK(has(SyncMode::none, true, " --fdatasync=262144 "));
  CHECK_FALSE(has(SyncMode::none, false, "sync="));
  CHECK_FALSE(has(SyncMode::o_sync, true, "--fdatasync"));
}

TEST_CASE("The shape of a load has fio's words", "[process][fio_command]") {
  const FioSettings settings{.filename = "f", .engine = "io_uring", .direct = true, .flush = false};
  Workload w;
  w.op = Op::mixed;
  w.pattern = Pattern::random;
  w.read_percent = 0;
  w.runtime_ns = kSecond;
  w.distribution = Distribution::zipf;
  w.zipf_theta = 1.2;
  w.poll = w.sqpoll = true;
  CHECK(line(w, settings) ==
        "fio --name=j0 --filename=f --ioengine=io_uring --rw=randrw --bs=4096 --iodepth=1"
        " --numjobs=1 --thread --direct=1 --rwmixread=0 --hipri --sqthread_poll --size=1073741824"
        " --norandommap --random_distribution=zipf:1.2 --time_based --runtime=1000ms"
        " --refill_buffers" +
            std::string(kTail));
  w.pattern = Pattern::sequential;
  w.poll = w.sqpoll = false;
  CHECK(line(w, settings).find(" --rw=rw ") != std::string::npos);
  CHECK(line(w, settings).find("zipf") == std::string::npos);
}

TEST_CASE("A mixed job's cached writes are flushed as a write job's", "[process][fio_command]") {
  Workload w;
  w.op = Op::mixed;
  w.runtime_ns = kSecond;
  CHECK(line(w, {.filename = "f", .engine = "psync"}).find(" --fdatasync=262144 ") !=
        std::string::npos);
}

TEST_CASE("A rate is shared out among fio's jobs and directions", "[process][fio_command]") {
  Workload w;
  w.runtime_ns = kSecond;
  w.rate_iops = 1000;
  w.threads = 4;
  w.pattern = Pattern::random;
  const auto has = [&w](std::string_view option) {
    return line(w, {.filename = "f", .engine = "psync"}).find(option) != std::string::npos;
  };
  CHECK(has(" --runtime=1000ms --rate_iops=250 "));
  w.op = Op::mixed;
  w.read_percent = 30;
  CHECK(has(" --rate_iops=75,175 "));
}

TEST_CASE("A job that begins with a new file lets fio make one", "[process][fio_command]") {
  Workload w;
  w.op = Op::write;
  w.layout = Layout::none;
  const std::string text = line(w, {.filename = "f", .engine = "psync"});
  CHECK(text.find(" --fallocate=none --allow_file_create=1 ") != std::string::npos);
}

TEST_CASE("A probe's job is one I/O of one thread", "[process][fio_command]") {
  Workload w;
  w.block_size = 4 * kMiB;
  w.queue_depth = 8;
  w.threads = 2;
  w.runtime_ns = kSecond;
  w.ramp_ns = kSecond;
  const Workload one = process::one_io_of(job_of(w), "libaio", kMiB + 5).workload;
  CHECK(one.block_size == kMiB);
  CHECK(one.size == kMiB);
  CHECK(one.queue_depth == 8);
  CHECK(one.threads == 1);
  CHECK(limit_in_ios(one) == 1);
  CHECK(one.ramp_ns == 0);
  CHECK(process::one_io_of(job_of(w), "psync", kGiB).workload.queue_depth == 1);
  CHECK(process::one_io_of(job_of(w), "psync", 4095).workload.block_size == 0);
}

TEST_CASE("A command line is quoted for a shell and safe to show", "[process][fio_command]") {
  CHECK(process::command_line("fio", {"--a=1", "it's", "", "a b", "$(x)", "\x1b[2J"}) ==
        "fio --a=1 'it'\\''s' '' 'a b' '$(x)' \"$(printf -- '\\033[2J')\"");
  CHECK(process::command_line("fio", {"100 %\xff'\\\n."}) ==
        "fio \"$(printf -- '100 %%\\377\\047\\\\\\012.')\"");
}

TEST_CASE("A command line gives a shell exactly the words that it was made of",
          "[process][fio_command]") {
  const std::vector<std::string> words{"plain",   "it's",      "",        "a b", "$(x) `y` \"z\"",
                                       "\x1b[2J", "\xff%s\\n", "-\n'\\x", "*?~!"};
  std::string expected;
  for (const std::string& word : words) expected += word + '|';
  for (const char* shell : {"/bin/sh", "/bin/bash"}) {
    if (::access(shell, X_OK) != 0) continue;
    std::vector<std::string> all{"%s|"};
    all.insert(all.end(), words.begin(), words.end());
    process::Command command;
    command.executable = shell;
    command.arguments = {"-c", process::command_line("printf", all)};
    const auto ended = process::run(command);
    REQUIRE(ended);
    CHECK(ended->output == expected);
  }
}

TEST_CASE("What fio cannot do is said in one sentence", "[process][fio_command]") {
  Workload w;
  w.runtime_ns = kSecond;
  CHECK(process::fio_objection(w, "psync").empty());
  Workload deep = w;
  deep.queue_depth = 128;
  deep.threads = 64;
  CHECK(process::fio_objection(deep, "libaio").empty());
  CHECK(process::fio_objection(deep, "psync") ==
        "queue depth 128 x 64 threads needs 8192 fio jobs; fio allows 4096");
  Workload empty = w;
  empty.layout = Layout::none;
  CHECK(process::fio_objection(empty, "psync") ==
        "fio needs the test file at its full size; use layout = \"full\"");
  Workload shared = w;
  shared.region = Region::shared;
  CHECK(process::fio_objection(shared, "psync").empty());
  shared.threads = 2;
  CHECK(process::fio_objection(shared, "psync") ==
        "fio's threads cannot share one sequential position; use region = \"own\" or \"same\"");
  Workload odd = w;
  odd.ios = 10;
  odd.threads = 4;
  CHECK(process::fio_objection(odd, "psync") ==
        "10 I/Os cannot be shared out evenly among 4 fio jobs");
  Workload mixed = w;
  mixed.op = Op::mixed;
  CHECK(process::fio_objection(mixed, "psync").empty());
  Workload paced = w;
  paced.rate_iops = 1000;
  CHECK(process::fio_objection(paced, "psync") ==
        "fio measures no response time from the moment an I/O was due; leave rate_iops to a "
        "built-in engine");
  Workload polled = w;
  polled.poll = true;
  CHECK(process::fio_objection(polled, "io_uring").empty());
  CHECK(process::fio_objection(polled, "libaio") ==
        "fio's libaio cannot do poll, which is io_uring's");
  polled.poll = false;
  polled.sqpoll = true;
  CHECK(process::fio_objection(polled, "io_uring").empty());
  CHECK(process::fio_objection(polled, "psync") ==
        "fio's psync cannot do sqpoll, which is io_uring's");
  Workload zipf = w;
  zipf.distribution = Distribution::zipf;
  zipf.pattern = Pattern::random;
  zipf.zipf_theta = 0.8;
  CHECK(process::fio_objection(zipf, "psync").empty());
  zipf.zipf_theta = 1;
  CHECK(process::fio_objection(zipf, "psync") ==
        "fio has no zipf distribution with a theta of exactly 1; use zipf:1.01");
  zipf.pattern = Pattern::sequential;
  CHECK(process::fio_objection(zipf, "psync").empty());
  Workload ramp = w;
  ramp.ios = 10;
  ramp.ramp_ns = 1;
  CHECK(process::fio_objection(ramp, "psync") ==
        "fio counts the ramp's I/Os against a limit of ios or bytes; use --ramp 0");
}
