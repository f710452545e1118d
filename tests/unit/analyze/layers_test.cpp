#include "runner/analyze/layers.hpp"

#include "counted_report.hpp"
#include "support/catch.hpp"

namespace sthd::analyze {

using namespace test;

namespace {

constexpr double kJob = 1000 * 4096.0;

/// "application=900000 host=200000 device=700000"
std::string layers(const Report& report, CacheClass cache = CacheClass::device) {
  std::string out;
  for (const Layer& layer : layers_of(report, report.records.at(0), cache)) {
    out += (out.empty() ? "" : " ") + layer.name + "=" +
           std::to_string(static_cast<long>(layer.mean_ns + 0.5));
  }
  return out;
}
std::string layers(const ResultRecord& record) { return layers(report_of({record})); }

/// The job's threads: on a CPU, and waiting for one, for all their I/Os together.
void spent(ResultRecord& record, std::uint64_t cpu_ns, double waited_ns) {
  record.loops.at(0).cpu = CpuUse{cpu_ns / 2, cpu_ns / 2, 0, 0};
  count(record, "own.steal_ns", waited_ns);
}

ResultRecord read_of(std::uint64_t lat_ns, double device_ns) {
  ResultRecord record = measured(Op::read, 1, 1, 1000, lat_ns);
  count_disk(record, 0, "sda", {.read_ios = 1000, .read_bytes = kJob, .read_ns = device_ns});
  return record;
}

}  // namespace

TEST_CASE("What the device did not take was the host's", "[analyze][layers]") {
  CHECK(layers(read_of(900000, 700000)) == "application=900000 host=200000 device=700000");
  CHECK(layers(report_of({read_of(900000, 700000)}), CacheClass::cache).empty());
  CHECK(layers(report_of({read_of(900000, 700000)}), CacheClass::mixed).empty());
  CHECK(layers(measured(Op::read, 1, 1, 1000, 900000)).empty());  // nothing was counted
}

TEST_CASE("Disks that were slower than the job's I/O did other I/O too", "[analyze][layers]") {
  CHECK(layers(read_of(500000, 700000)) == "application=500000 device=700000");
}

TEST_CASE("What neither the threads nor the device did was a wait above the device",
          "[analyze][layers]") {
  ResultRecord record = read_of(1'999'000, 19'000);
  spent(record, 12'000'000, 1'000'000);  // 13 us for each
  CHECK(layers(record) == "application=1999000 host=13000 wait=1967000 device=19000");
}

TEST_CASE("A wait that may be a wake-up is the host's", "[analyze][layers]") {
  ResultRecord record = read_of(100'000, 80'000);
  spent(record, 11'000'000, 0);
  CHECK(layers(record) == "application=100000 host=20000 device=80000");
  record = read_of(100'000, 80'000);
  spent(record, 10'000'000, 0);
  CHECK(layers(record) == "application=100000 host=10000 wait=10000 device=80000");
}

TEST_CASE("Threads that used more than was left are the host, and no wait is said",
          "[analyze][layers]") {
  ResultRecord record = read_of(100'000, 80'000);
  spent(record, 30'000'000, 0);
  CHECK(layers(record) == "application=100000 host=20000 device=80000");
}

TEST_CASE("A wait is told only where each thread has one I/O at a time", "[analyze][layers]") {
  ResultRecord record = read_of(1'999'000, 19'000);
  spent(record, 12'000'000, 1'000'000);
  record.job.workload.queue_depth = 32;
  CHECK(layers(record) == "application=1999000 host=1980000 device=19000");
  record.resolution.workers = 32;  // psync honours a depth with threads
  CHECK(layers(record) == "application=1999000 host=13000 wait=1967000 device=19000");
}

TEST_CASE("A durable write of one caller waits for all that the disks did", "[analyze][layers]") {
  ResultRecord record = durable(1000, 900'000);
  // 1000 writes, a journal's 500 beside them, and a flush for each
  count_disk(record, 0, "sda",
             {.write_ios = 1500,
              .write_bytes = kJob * 1.5,
              .write_ns = 100'000,
              .flush_ios = 1000,
              .flush_ns = 400'000});
  CHECK(layers(record) == "application=900000 host=350000 device=550000");
  record.job.workload.threads = 4;  // a flush may serve several of them
  CHECK(layers(record) == "application=900000 host=400000 device=500000");
}

TEST_CASE("An fsync after each write belongs to it", "[analyze][layers]") {
  ResultRecord record = measured(Op::write, 1, 1, 1000, 100'000);
  record.job.workload.sync = SyncMode::fsync;
  record.loops[0].write->sync.emplace();
  for (int i = 0; i < 1000; ++i) record.loops[0].write->sync->add(500'000);
  count_disk(record, 0, "sda", {.write_ios = 1000, .write_bytes = kJob, .write_ns = 50'000});
  CHECK(layers(record) == "application=600000 host=550000 device=50000");
}

TEST_CASE("On a pool a commit is its log device's, or its data disks'", "[analyze][layers]") {
  ResultRecord record = durable(1000, 900'000);
  count_disk(record, 0, "sda", {.write_ios = 200, .write_ns = 700'000});
  count_disk(record, 1, "sdb", {.write_ios = 200, .write_ns = 800'000});
  count_disk(record, 2, "sdc",
             {.write_ios = 1000, .write_ns = 20'000, .flush_ios = 1000, .flush_ns = 30'000});
  ResultRecord logged = record;
  count_zil(logged, kJob, 0, 0);
  // whatever class the bytes of both kinds of disks make of it
  CHECK(layers(on_pool({logged}), CacheClass::mixed) ==
        "application=900000 host=850000 log device=50000");
  ResultRecord unlogged = record;
  count_zil(unlogged, 0, kJob, 0);
  CHECK(layers(on_pool({unlogged}), CacheClass::mixed) ==
        "application=900000 host=100000 device=800000");
  CHECK(layers(on_pool({record}), CacheClass::device).empty());  // who took it is not known
}

TEST_CASE("Nobody waits for the disks of a write that goes to a cache", "[analyze][layers]") {
  ResultRecord record = measured(Op::write, 1, 1, 1000, 900'000);
  count_disk(record, 0, "sda", {.write_ios = 1000, .write_bytes = kJob, .write_ns = 700'000});
  CHECK(layers(record) == "application=900000 host=200000 device=700000");
  record.resolution.direct_effective = false;
  CHECK(layers(record).empty());
}

TEST_CASE("A zvol does not count its flushes, so its commits have no layers", "[analyze][layers]") {
  ResultRecord record = durable(1000, 900'000);
  count_disk(record, 0, "zd0", {.write_ios = 1000, .write_bytes = kJob, .write_ns = 20'000});
  Report report = report_of({record});
  CHECK(layers(report) == "application=900000 host=880000 device=20000");
  fact(report, "chain.0.kind", "zfs");
  CHECK(layers(report).empty());
}

TEST_CASE("On NFS the server's round trips are the lowest layer", "[analyze][layers]") {
  ResultRecord record = durable(1000, 900'000);
  count(record, "nfs.ops", 1050);
  count(record, "nfs.rtt_ns", 1050 * 600'000.0);
  Report report = report_of({record});
  report.target.filesystem = "nfs4";
  CHECK(layers(report, CacheClass::unknown) == "application=900000 host=300000 server=600000");
  report.records[0].loops[0].counters[0].value = 2000.0;  // two round trips for each
  CHECK(layers(report, CacheClass::unknown).empty());
}

}  // namespace sthd::analyze
