// The real fio on a real file. Nothing here depends on how fast the machine is.
#include <fcntl.h>

#include <numeric>

#include "kit/process/program.hpp"
#include "support/catch.hpp"
#include "support/fake_context.hpp"

using namespace sthd;
using namespace sthd::test;

namespace {

constexpr std::uint64_t kSize = 8 * kMiB;

Job job_with(Op op, Pattern pattern, std::uint64_t block_size) {
  Job job;
  job.workload.op = op;
  job.workload.pattern = pattern;
  job.workload.block_size = block_size;
  job.workload.size = kSize;
  job.workload.runtime_ns = 200 * kMillisecond;
  return job;
}

/// What must hold for every direction of every result.
void check_sound(const OpResult& result, const Workload& w) {
  CHECK(result.ios > 0);
  CHECK(result.bytes == result.ios * w.block_size);
  CHECK(result.lat.count() == result.ios);
  CHECK(result.elapsed_ns >= w.runtime_ns / 10 * 9);
  CHECK(result.lat.min_ns() <= result.lat.max_ns());
}

LoopResult measured(const Job& job, const std::string& engine, int flags = 0) {
  const LoadedBackend backend("fio-exec");
  const WorkFile file(kSize, flags);
  FakeContext context(file, engine);
  const auto found = probe(backend, job.workload, file, engine, true);
  INFO((found ? "" : found.error().message));
  REQUIRE(found);
  CHECK(found->version.starts_with("fio-"));
  auto loop = backend->run(job, context);
  INFO((loop ? "" : loop.error().message));
  REQUIRE(loop);
  CHECK(context.phases.front() == Phase::prepare);
  CHECK(context.phases.back() == Phase::close);
  CHECK(context.said.find("Run status group 0") != std::string::npos);
  CHECK(file.content().size() == kSize);
  return std::move(loop).value();
}

}  // namespace

TEST_CASE("fio reads with psync and threads for the depth", "[fio_exec][real]") {
  if (!process::find_program("fio")) return;
  Job job = job_with(Op::read, Pattern::random, 4096);
  job.workload.queue_depth = 2;
  job.workload.threads = 2;
  job.workload.ramp_ns = 100 * kMillisecond;
  const LoopResult loop = measured(job, "psync");
  CHECK_FALSE(loop.write);
  REQUIRE(loop.read);
  check_sound(*loop.read, job.workload);
  REQUIRE(loop.per_thread.size() == 2);
  CHECK(loop.per_thread[0].ios + loop.per_thread[1].ios == loop.read->ios);
}

TEST_CASE("fio writes an exact number of blocks", "[fio_exec][real]") {
  if (!process::find_program("fio")) return;
  Job job = job_with(Op::write, Pattern::sequential, 64 * kKiB);
  job.workload.runtime_ns = 0;
  job.workload.bytes = 16 * kMiB;  // twice over the file
  job.workload.threads = 2;
  job.workload.end_fsync = true;
  const LoopResult loop = measured(job, "psync");
  REQUIRE(loop.write);
  check_sound(*loop.write, job.workload);
  CHECK(loop.write->ios == 256);
  CHECK(loop.write->sync);  // flushed each time the size was written
}

TEST_CASE("fio's fsync latencies are apart from its writes", "[fio_exec][real]") {
  if (!process::find_program("fio")) return;
  Job job = job_with(Op::write, Pattern::random, 4096);
  job.workload.sync = SyncMode::fdatasync;
  job.workload.runtime_ns = 0;
  job.workload.ios = 20;
  const LoopResult loop = measured(job, "psync");
  CHECK(loop.write->ios == 20);
  REQUIRE(loop.write->sync);
  CHECK(loop.write->sync->count() >= 19);
}

TEST_CASE("fio mixes reads and writes as asked", "[fio_exec][real]") {
  if (!process::find_program("fio")) return;
  Job job = job_with(Op::mixed, Pattern::random, 4096);
  job.workload.runtime_ns = 0;
  job.workload.ios = 2000;
  job.workload.threads = 2;
  job.workload.read_percent = 80;
  job.workload.distribution = Distribution::zipf;
  job.workload.zipf_theta = 1.2;
  const LoopResult loop = measured(job, "psync");
  REQUIRE(loop.read);
  REQUIRE(loop.write);
  check_sound(*loop.read, job.workload);
  check_sound(*loop.write, job.workload);
  CHECK(loop.read->ios + loop.write->ios == 2000);
  CHECK(loop.read->ios > 1500);  // 1600 but for chance
  CHECK(loop.read->ios < 1700);
  REQUIRE(loop.per_thread.size() == 4);
  CHECK(loop.per_thread[0].op == Op::read);
  CHECK(loop.per_thread[1].op == Op::write);
  CHECK(loop.per_thread[1].thread == 0);
  CHECK(loop.per_thread[3].thread == 1);
}

TEST_CASE("A mixed fio that has only reads or only writes is sound", "[fio_exec][real]") {
  if (!process::find_program("fio")) return;
  Job job = job_with(Op::mixed, Pattern::sequential, 4096);
  job.workload.runtime_ns = 0;
  job.workload.ios = 10;
  for (const std::uint32_t percent : {0U, 100U}) {
    job.workload.read_percent = percent;
    const LoopResult loop = measured(job, "psync");
    CHECK(loop.read->ios == percent / 10);
    CHECK(loop.write->ios == 10 - percent / 10);
  }
}

TEST_CASE("fio reads with libaio at depth", "[fio_exec][real]") {
  if (!process::find_program("fio")) return;
  Job job = job_with(Op::read, Pattern::random, 4096);
  job.workload.queue_depth = 8;
  const LoopResult loop = measured(job, "libaio", O_DIRECT);
  REQUIRE(loop.read);
  CHECK_FALSE(loop.write);
  check_sound(*loop.read, job.workload);
  CHECK(loop.read->slat);
  CHECK(loop.per_thread.size() == 1);
}

TEST_CASE("fio's threads are added up by fio above 64", "[fio_exec][real]") {
  if (!process::find_program("fio")) return;
  Job job = job_with(Op::read, Pattern::random, 4096);
  job.workload.queue_depth = 5;
  job.workload.threads = 13;
  const LoopResult loop = measured(job, "psync");
  check_sound(*loop.read, job.workload);
  CHECK(loop.per_thread.empty());
}

TEST_CASE("A cancelled fio gives what it had", "[fio_exec][real]") {
  if (!process::find_program("fio")) return;
  const LoadedBackend backend("fio-exec");
  const WorkFile file(kSize);
  FakeContext context(file, "psync");
  Job job = job_with(Op::read, Pattern::random, 4096);
  job.workload.runtime_ns = 60 * kSecond;
  // There is a sample only after fio's first rates: it is measuring.
  context.cancel = [&context] { return !context.samples.empty(); };
  const auto loop = backend->run(job, context);
  INFO((loop ? "" : loop.error().message));
  REQUIRE(loop);
  CHECK(context.samples.front().bytes > 0);
  CHECK(loop->read->ios > 0);
  CHECK(loop->read->elapsed_ns < 50 * kSecond);
  CHECK(loop->read->lat.count() == loop->read->ios);
}

TEST_CASE("fio's refusal of an engine is told", "[fio_exec][real]") {
  if (!process::find_program("fio")) return;
  const LoadedBackend backend("fio-exec");
  const WorkFile file(kSize);
  const auto found =
      probe(backend, job_with(Op::read, Pattern::random, 4096).workload, file, "none");
  REQUIRE_FALSE(found);
  CHECK(found.error().code == ErrorCode::unavailable);
  CHECK(found.error().message ==
        "fio exited with status 1 without a result: fio: engine none not loadable");
}
