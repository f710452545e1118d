#include <cerrno>
#include <csignal>

#include "fake_fio.hpp"
#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::test;

namespace {

Outcome<LoopResult> run(const Job& job, FakeContext& context) {
  const LoadedBackend backend("fio-exec");
  return backend->run(job, context);
}

Outcome<LoopResult> run(const Job& job = job_of_two()) {
  const WorkFile file(kMiB);
  FakeContext context(file, "psync");
  return run(job, context);
}

std::string message(const Outcome<LoopResult>& outcome) {
  return outcome ? "ok" : outcome.error().message;
}

}  // namespace

TEST_CASE("A good report becomes a result without loss", "[fio_exec][verdict]") {
  const FakeFio fio;
  fio.put("document",
          edited(edited(two_jobs(), "\"usr_cpu\" : 0.000000", "\"usr_cpu\" : 50.000000"),
                 "\"sys_cpu\" : 0.000000", "\"sys_cpu\" : 25.000000", true));
  const auto loop = run();
  REQUIRE(message(loop) == "ok");
  CHECK_FALSE(loop->read);
  REQUIRE(loop->write);
  const OpResult& write = *loop->write;
  CHECK(write.ios == 20);
  CHECK(write.bytes == 20 * 4096);
  CHECK(write.elapsed_ns == 2 * kMillisecond);
  CHECK(write.lat.count() == 20);
  CHECK(write.lat.min_ns() == 83875);
  CHECK(write.lat.max_ns() == 447204);
  CHECK(write.lat.sum_ns() == 1'663'391 + 1'621'780);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> bins{
      {82944, 1},  {88064, 1},  {90112, 1},  {120832, 1}, {130048, 2}, {131072, 1},
      {133120, 1}, {135168, 3}, {153600, 1}, {163840, 1}, {172032, 1}, {176128, 1},
      {190464, 1}, {200704, 1}, {206848, 1}, {247808, 1}, {446464, 1}};
  CHECK(write.lat.bins() == bins);
  REQUIRE(write.clat);
  CHECK(write.clat->count() == 20);
  CHECK_FALSE(write.slat);  // psync has no submission of its own
  CHECK_FALSE(write.sync);
  REQUIRE(loop->per_thread.size() == 2);
  CHECK(loop->per_thread[1].thread == 1);
  CHECK(loop->per_thread[1].op == Op::write);
  CHECK(loop->per_thread[1].bytes == 40960);
  CHECK(loop->per_thread[1].ios == 10);
  CHECK(loop->per_thread[1].elapsed_ns == 2 * kMillisecond);
  REQUIRE(loop->cpu);
  CHECK(loop->cpu->user_ns == 500'000);  // 50 % of one job's millisecond
  CHECK(loop->cpu->system_ns == 500'000);
  CHECK_FALSE(loop->cpu->voluntary_switches);  // fio tells the sum of both alone
  CHECK_FALSE(loop->cpu->involuntary_switches);
  CHECK(loop->notes.empty());
}

TEST_CASE("Each of the seven conditions is needed", "[fio_exec][verdict]") {
  struct Row {
    std::string what;
    std::function<void(FakeFio&)> broken;
    std::string message;
  };
  const std::vector<Row> rows{
      {"exit status", [](FakeFio& fio) { fio.put("rc", "1"); }, "fio exited with status 1"},
      {"two documents", [](FakeFio& fio) { fio.put("before", two_jobs()); },
       "fio printed 2 JSON documents, not one"},
      {"number of jobs",
       [](FakeFio& fio) {
         const std::string all = two_jobs();
         const auto second = all.find("    },\n    {\n      \"jobname\"");
         REQUIRE(second != std::string::npos);
         fio.put("document", all.substr(0, second) + "    }\n  ]\n}\n");
       },
       "fio reports 1 jobs of 2"},
      {"error of a job",
       [](FakeFio& fio) {
         fio.put("document", edited(two_jobs(), "\"error\" : 0", "\"error\" : 28"));
       },
       "fio reports that job 1 of 2 failed: No space left on device (ENOSPC)"},
      {"bytes of a job",
       [](FakeFio& fio) {
         fio.put("document", edited(two_jobs(), "\"io_bytes\" : 40960", "\"io_bytes\" : 0"));
       },
       "fio reports no write by job 1 of 2"},
      {"share of a job",
       [](FakeFio& fio) {
         fio.put("document", edited(two_jobs(), "\"io_bytes\" : 40960", "\"io_bytes\" : 36864"));
       },
       "fio stopped early: job 1 of 2 ran 2ms and moved 36.00 KiB"},
      {"error lines before", [](FakeFio& fio) { fio.put("before", "fio: pid=3, got signal=7\n"); },
       "fio reports an error: fio: pid=3, got signal=7"},
      {"error lines after", [](FakeFio& fio) { fio.put("after", "\nfio: some error\n"); },
       "fio reports an error: fio: some error"},
      {"error lines on stderr",
       [](FakeFio& fio) { fio.put("stderr", "fio: io_u error on file x: Input/output error\n"); },
       "fio reports an error: fio: io_u error on file x: Input/output error (EIO)"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    FakeFio fio;
    row.broken(fio);
    CHECK(message(run()) == row.message);
  }
}

TEST_CASE("A run that is too short for its time fails", "[fio_exec][verdict]") {
  const FakeFio fio;
  Job job = job_of_two();
  job.workload.ios = 0;
  job.workload.runtime_ns = 2 * kMillisecond;
  CHECK(message(run(job)) == "ok");
  job.workload.runtime_ns = kSecond;
  CHECK(message(run(job)) == "fio stopped early: job 1 of 2 ran 2ms and moved 40.00 KiB");
}

TEST_CASE("A signal fails the run even after a good report", "[fio_exec][verdict]") {
  const FakeFio fio;
  fio.put("kill", "BUS");
  CHECK(message(run()) ==
        "fio was ended by signal SIGBUS after it had printed its results (is the temporary folder "
        "full?)");
  fio.put("kill", "SEGV");
  CHECK(message(run()) == "fio was ended by signal SIGSEGV after it had printed its results");
  fio.put("document", "{");
  CHECK(message(run()) == "fio was ended by signal SIGSEGV");
}

TEST_CASE("An I/O error is told in fio's words, with its errno", "[fio_exec][verdict]") {
  const FakeFio fio;
  fio.put("before",
          "fio: io_u error on file /proc/7/fd/3: No space left on device: write offset=4194304, "
          "buflen=4096\n\nfio: terminating on signal 15\n"
          "fio: pid=7, err=28/file:io_u.c:1876, func=io_u error, error=No space left on device\n");
  fio.put("document", edited(two_jobs(), "\"error\" : 0", "\"error\" : 28"));
  fio.put("rc", "1");
  const auto loop = run();
  REQUIRE_FALSE(loop);
  CHECK(loop.error().message ==
        "fio reports that job 1 of 2 failed: fio: io_u error on file /proc/7/fd/3: No space left "
        "on device: write offset=4194304, buflen=4096 (ENOSPC)");
  CHECK(loop.error().system_errno == ENOSPC);
}

TEST_CASE("Harmless notes around the report do not fail the run", "[fio_exec][verdict]") {
  const FakeFio fio;
  fio.put("before", "note: both iodepth >= 1 and synchronous I/O engine are selected\n");
  fio.put("after", "\nj0: (groupid=0, jobs=1): err= 0: pid=1: Mon Nov 30 20:41:52 2026\n");
  fio.put("stderr", std::string(2'000'000, 'x'));
  const WorkFile file(kMiB);
  FakeContext context(file, "psync");
  CHECK(message(run(job_of_two(), context)) == "ok");
  CHECK(context.said.find("note: both iodepth") == 0);
  CHECK(context.said.find("err= 0: pid=1") != std::string::npos);
  CHECK(context.said.find("\"jobs\"") == std::string::npos);
}

TEST_CASE("A report that is no JSON document fails the run", "[fio_exec][verdict]") {
  const FakeFio fio;
  struct Row {
    std::string document;
    std::string message;
  };
  const std::string good = two_jobs();
  for (const Row& row :
       {Row{good.substr(0, good.size() / 2), "fio printed JSON that is cut short"},
        Row{"", "fio exited with status 0 without a result"},
        Row{"{\n" + std::string(100, '[') + std::string(100, ']') + "\n}\n",
            "fio printed JSON that nests deeper than 64"},
        Row{"{\n  \"jobs\" : [ , ]\n}\n", "fio printed broken JSON"},
        Row{edited(good, "\"jobname\" : \"j0\"", "\"jobname\" : \"j\x01\""),
            "fio printed broken JSON"},
        Row{edited(good, "\"total_ios\"", "\"total_ios\" : 1, \"total_ios\""), "ok"},
        Row{edited(good, "\"io_bytes\" : 40960", "\"io_bytes\" : -1"),
            "fio cannot be understood: its JSON has no usable \"io_bytes\""},
        Row{edited(good, "\"runtime\" : 2", "\"runtime\" : 18446744073709551615"),
            "fio cannot be understood: its JSON has no usable \"runtime\""},
        Row{edited(good, "\"runtime\" : 2", "\"walltime\" : 2"),
            "fio cannot be understood: its JSON has no usable \"runtime\""}}) {
    fio.put("document", row.document);
    CHECK(message(run()) == row.message);
  }
}

TEST_CASE("A histogram that lacks I/Os fails the run", "[fio_exec][verdict]") {
  const FakeFio fio;
  fio.put("document", edited(two_jobs(), "\"io_bytes\" : 40960", "\"io_bytes\" : 409600"));
  CHECK(message(run()) == "fio cannot be understood: its histogram holds 10 of 100 I/Os");
}

TEST_CASE("A fio without lat bins gives its clat bins", "[fio_exec][verdict]") {
  const FakeFio fio;
  fio.put("document", edited(two_jobs(), "\"lat_ns\"", "\"old_lat_ns\"", true));
  const auto loop = run();
  REQUIRE(message(loop) == "ok");
  CHECK(loop->write->lat.count() == 20);
  CHECK(loop->write->lat.bins() == loop->write->clat->bins());
}

TEST_CASE("A fio without bins gives rates and says so", "[fio_exec][verdict]") {
  const FakeFio fio;
  fio.put("document", edited(two_jobs(), "\"bins\"", "\"no_bins\"", true));
  const auto loop = run();
  REQUIRE(message(loop) == "ok");
  CHECK(loop->write->ios == 20);
  CHECK(loop->write->lat.count() == 0);
  CHECK(loop->notes == std::vector<std::string>{"this fio reports no latency histogram"});
}

TEST_CASE("fio gets a clean place and no user byte", "[fio_exec][child]") {
  const FakeFio fio;
  const WorkFile file(kMiB);
  FakeContext context(file, "psync");
  REQUIRE(message(run(job_of_two(), context)) == "ok");
  const std::string scratch(context.scratch());
  CHECK(fio.left("argv") ==
        "--name=j0\n--filename=" + file.proc_path() +
            "\n--ioengine=psync\n--rw=randwrite\n--bs=4096\n--iodepth=1\n--numjobs=2\n--thread\n"
            "--direct=0\n--size=1048576\n--norandommap\n--io_size=40960\n--refill_buffers\n"
            "--sync=1\n--randrepeat=0\n--invalidate=0\n--fallocate=none\n--allow_file_create=0\n"
            "--exitall_on_error=1\n--lat_percentiles=1\n--clat_percentiles=1\n"
            "--slat_percentiles=1\n--output=" +
            scratch + "/out.json\n--output-format=json+,normal\n--eta=always\n--eta-newline=1\n");
  CHECK(fio.left("environ").find("TMPDIR=" + scratch + "\n") != std::string::npos);
  CHECK(fio.left("environ").find("LC_ALL=C\n") != std::string::npos);
  CHECK(fio.left("fds").find("work.bench") == std::string::npos);
}

TEST_CASE("A fio that ignores the stop signal is killed", "[fio_exec][child]") {
  const FakeFio fio;
  fio.put("hang", "");
  const WorkFile file(kMiB);
  FakeContext context(file, "psync");
  context.cancel = [&fio] { return !fio.left("argv").empty(); };
  const auto loop = run(job_of_two(), context);
  REQUIRE_FALSE(loop);
  CHECK(loop.error().code == ErrorCode::cancelled);
  CHECK(loop.error().message == "fio was stopped before it had reported anything");
}

TEST_CASE("A file shorter than the job is refused before fio could touch it", "[fio_exec][child]") {
  const FakeFio fio;
  Job job = job_of_two();
  job.workload.size = 2 * kMiB;
  CHECK(message(run(job)) == "the test file is shorter than the job's size");
  CHECK(fio.left("argv").empty());
}

TEST_CASE("A job that fio cannot do is refused however it got past the probe",
          "[fio_exec][child]") {
  const FakeFio fio;
  Job job = job_of_two();
  job.workload.ios = 21;
  CHECK(message(run(job)) == "21 I/Os cannot be shared out evenly among 2 fio jobs");
  job.workload.rate_iops = 100;
  CHECK(message(run(job)) ==
        "fio measures no response time from the moment an I/O was due; leave rate_iops to a "
        "built-in engine");
  CHECK(fio.left("argv").empty());
}

TEST_CASE("Without a folder for its report fio is not started", "[fio_exec][child]") {
  const FakeFio fio;
  const WorkFile file(kMiB);
  FakeContext context(file, "psync");
  context.has_scratch = false;
  CHECK(message(run(job_of_two(), context)) ==
        "there is no folder for temporary files; set TMPDIR to one that can be written");
  CHECK(fio.left("argv").empty());
}

TEST_CASE("A fio that says nothing about rates makes no samples", "[fio_exec][child]") {
  const FakeFio fio;
  fio.put("hang", "");
  const WorkFile file(kMiB);
  FakeContext context(file, "psync");
  int asked = 0;
  context.cancel = [&asked] { return ++asked > 8; };  // every 50 ms
  REQUIRE_FALSE(run(job_of_two(), context));
  CHECK(context.samples.empty());
}
