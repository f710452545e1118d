#include "runner/app/verbose.hpp"

#include "sthd/text.hpp"
#include "sthd/units.hpp"
#include "support/catch.hpp"

namespace sthd::app {

namespace {

ResultRecord measured(Op op) {
  ResultRecord record;
  record.job.id = record.job.label = "j";
  record.job.workload.op = op;
  record.job.workload.queue_depth = 32;
  OpResult result;
  result.ios = 1000;
  result.bytes = result.ios * 4096;
  result.elapsed_ns = kSecond;
  result.lat.add_binned(1'000'000, 1000);
  LoopResult loop;
  if (op != Op::write) loop.read = result;
  if (op != Op::read) loop.write = result;
  record.loops = {loop};
  return record;
}

/// The lines of the block that hold `part`.
std::vector<std::string> lines_with(const ResultRecord& record, std::string_view part) {
  const std::string all = verbose_text(record, "");
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = all.find('\n', begin);
    std::string line = all.substr(begin, end - begin);
    if (line.find(part) != std::string::npos) found.push_back(std::move(line));
    begin = end + 1;
  }
  return found;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("The verbose block counts in flight as the footnote does", "[app][verbose]") {
  ResultRecord record = measured(Op::write);
  CHECK(lines_with(record, "in flight") == Lines{"  in flight: 1.0 of 32"});
  record.loops[0].end_fsync_ns = kSecond / 2;
  CHECK(lines_with(record, "in flight") == Lines{"  in flight: 2.0 of 32"});
  CHECK(lines_with(measured(Op::mixed), "in flight") == Lines{"  in flight: 2.0 of 32"});
}

TEST_CASE("The verbose block has a ladder for syncs of their own", "[app][verbose]") {
  ResultRecord record = measured(Op::write);
  CHECK(lines_with(record, "percentiles").size() == 1);
  record.loops[0].write->sync.emplace().add(5'000);
  for (int i = 1; i < 100; ++i) record.loops[0].write->sync->add(5'000);
  const Lines ladders = lines_with(record, "percentiles");
  REQUIRE(ladders.size() == 2);
  CHECK(ladders[1] ==
        "    sync percentiles (us): p1=5.0 p5=5.0 p10=5.0 p20=5.0 p30=5.0 p40=5.0 p50=5.0 "
        "p60=5.0 p70=5.0 p80=5.0 p90=5.0 p95=~5.0 p99=~5.0");
}

TEST_CASE("The verbose block ends with the row as a fio command, or why there is none",
          "[app][verbose]") {
  ResultRecord record = measured(Op::write);
  CHECK(lines_with(record, "  fio: ").empty());  // nothing ran it
  record.resolution.engine = "psync";
  record.job.workload.condition = Condition::cores_busy;
  CHECK(lines_with(record, "  fio: ") ==
        Lines{"  fio: none: the condition cores-busy is not for fio to make"});
  record.fio_command = "fio --name=row";
  CHECK(lines_with(record, "  fio: ") == Lines{"  fio: fio --name=row"});
}

TEST_CASE("The verbose block tells service and response time apart", "[app][verbose]") {
  ResultRecord record = measured(Op::write);
  CHECK(lines_with(record, "response").empty());
  record.loops[0].write->response.emplace().add_binned(2'000'000, 1000);
  const Lines found = lines_with(record, "response");
  REQUIRE(found.size() == 2);
  CHECK(found[0] == "    response (us): min=2000.0, mean=2000.0, max=2000.0, n=1000");
  CHECK(found[1].starts_with("    response percentiles (us): p1=2000.0 p5=2000.0 "));
}

TEST_CASE("The verbose block tells what the submissions cost", "[app][verbose]") {
  ResultRecord record = measured(Op::write);
  CHECK(lines_with(record, "submission").empty());
  CHECK(lines_with(record, "io-wq").empty());
  record.loops[0].submit_ns = kSecond / 4;
  record.loops[0].kernel_workers = 0;
  CHECK(lines_with(record, "submission") ==
        Lines{"  in submission calls: 25.0 % of the threads' time"});
  CHECK(lines_with(record, "io-wq") == Lines{"  I/O threads of the kernel (io-wq): 0"});
  record.loops.push_back(record.loops[0]);
  record.loops[1].kernel_workers = 32;
  CHECK(lines_with(record, "io-wq") == Lines{"  I/O threads of the kernel (io-wq): 32"});
}

TEST_CASE("The verbose block says where the time went", "[app][verbose]") {
  ResultRecord record = measured(Op::write);
  CHECK(lines_with(record, "layers").empty());
  record.loops[0].counters = {{"disk.0.name", "vda", ""},
                              {"disk.0.write_ios", 1000.0, ""},
                              {"disk.0.write_ticks_ns", 19.1e6, ""}};
  CHECK(lines_with(record, "layers") == Lines{"  layers: application 1000.0 us, device 19.1 us"});
  record.verdict.layers = {{"application", 1'999'000}, {"host", 1.5e6}, {"device", 19'100}};
  CHECK(lines_with(record, "layers") ==
        Lines{"  layers: application 1999.0 us, host 1500.0 us, device 19.1 us"});
}

TEST_CASE("Each leaf disk has a line with what it did", "[app][verbose]") {
  ResultRecord record = measured(Op::write);
  CHECK(lines_with(record, "disk ").empty());
  record.loops[0].counters = {{"window_ns", 1e9, ""},
                              {"disk.0.name", "nvme\x1b|0n1", ""},
                              {"disk.0.read_ios", 0.0, ""},
                              {"disk.0.write_ios", 1000.0, ""},
                              {"disk.0.write_bytes", 4'096'000.0, ""},
                              {"disk.0.write_ticks_ns", 19.1e6, ""},
                              {"disk.0.flush_ios", 10.0, ""},
                              {"disk.0.flush_ticks_ns", 12e6, ""},
                              {"disk.0.busy_ns", 0.25e9, ""},
                              {"disk.1.name", "sdb", ""},
                              {"disk.1.read_ios", 0.0, ""},
                              {"disk.2.name", "sdc", ""},
                              {"disk.2.read_ios", {}, "cannot be read"}};
  const Lines lines = lines_with(record, "disk ");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "  disk " + display("nvme\x1b|0n1") + ": write 1000 ios (" +
                        human_size(4'096'000) +
                        "), mean 19.1 us, flush 10 ios, mean 1200.0 us, busy 25.0 %");
  CHECK(lines[1] == "  disk sdb: idle");
  CHECK(lines[2] == "  disk sdc: not counted");
}

TEST_CASE("Threads have a line each where there are several", "[app][verbose]") {
  ResultRecord record = measured(Op::mixed);
  record.loops[0].per_thread = {{.thread = 0,
                                 .op = Op::read,
                                 .bytes = 8'000'000,
                                 .ios = 2000,
                                 .elapsed_ns = 2 * kSecond,
                                 .first_ns = 85'500},
                                {.thread = 1, .op = Op::write, .bytes = 4096, .ios = 1}};
  CHECK(lines_with(record, "thread ").empty());  // one thread says nothing that its job does not
  record.job.workload.threads = 2;
  CHECK(lines_with(record, "thread ") ==
        Lines{"  thread 0 read: ios=2000, 4.00 MB/s, first I/O at 85.5us, last at 2.000s",
              "  thread 1 write: ios=1, 0.00 MB/s, last at 0.000s"});
  record.loops.push_back(record.loops[0]);
  const Lines lines = lines_with(record, "thread 0");
  REQUIRE(lines.size() == 2);
  CHECK(lines[1] ==
        "  loop 2, thread 0 read: ios=2000, 4.00 MB/s, first I/O at 85.5us, last at 2.000s");
}

TEST_CASE("Context switches that nobody counted are not shown", "[app][verbose]") {
  ResultRecord record = measured(Op::write);
  record.loops[0].cpu = CpuUse{kSecond / 4, kSecond / 2, std::nullopt, std::nullopt};
  CHECK(lines_with(record, "cpu:") == Lines{"  cpu: usr=25.0 %, sys=50.0 % of one core"});
  record.loops[0].cpu = CpuUse{kSecond / 4, kSecond / 2, 7, 2};
  CHECK(lines_with(record, "cpu:") ==
        Lines{"  cpu: usr=25.0 %, sys=50.0 % of one core, ctx=9 (voluntary 7)"});
}

}  // namespace sthd::app
