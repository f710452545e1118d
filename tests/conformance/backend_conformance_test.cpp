// What every backend must do, asked of each engine of each backend there is: a new one is tested as
// soon as its folder exists.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <vector>

#include "runner/host/plugin_host.hpp"
#include "support/catch.hpp"
#include "support/fake_context.hpp"

namespace sthd::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kFileSize = 4 * kMiB;

const host::PluginHost& plugins() {
  static const host::PluginHost loaded({{STHD_PLUGIN_DIR, true}});
  return loaded;
}

/// One engine of one backend.
struct Subject {
  const host::BackendEntry* entry;
  std::string engine;
};

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (const auto& entry : plugins().backends()) {
    for (const auto& engine : entry.info.engines) all.push_back({&entry, engine});
  }
  return all;
}

/// A job that every backend can do: sequential, depth 1, one thread.
Job modest_job(Op op) {
  Job job{.id = "conformance", .template_id = "conformance", .label = "conformance"};
  job.workload.op = op;
  job.workload.block_size = 64 * kKiB;
  job.workload.size = kFileSize;
  return job;
}

Outcome<Capability> ask(const Subject& subject, const Job& job, const WorkFile& file) {
  const Target target;
  return subject.entry->backend->probe({.target = target,
                                        .job = job,
                                        .engine = subject.engine,
                                        .named = true,
                                        .direct = (::fcntl(file.fd(), F_GETFL) & O_DIRECT) != 0,
                                        .fd = file.fd(),
                                        .path = file.proc_path()});
}

/// Whether the engine can be had here for this job; if not, it must have said why.
bool available(const Subject& subject, const Job& job, const WorkFile& file) {
  const auto capability = ask(subject, job, file);
  if (!capability) {
    CHECK_FALSE(capability.error().message.empty());
    CHECK(capability.error().code == ErrorCode::unavailable);
    WARN(fmt::format("{} of {}: {}", subject.engine, subject.entry->name,
                     capability.error().message));
    return false;
  }
  CHECK(capability->queue_depth_effective >= 1);
  CHECK(capability->workers >= 1);
  return true;
}

const OpResult& direction(const LoopResult& loop, Op op) {
  const auto& asked = op == Op::read ? loop.read : loop.write;
  const auto& other = op == Op::read ? loop.write : loop.read;
  CHECK_FALSE(other.has_value());
  REQUIRE(asked.has_value());
  return *asked;
}

/// What holds for the result of any job. `slack`: I/Os in flight at the end of the ramp, which a
/// program that is not ours may count as submitted before the window and completed in it.
void check_sums(const LoopResult& loop, const Job& job, std::uint64_t slack) {
  const OpResult& result = direction(loop, job.workload.op);
  CHECK(result.bytes == result.ios * job.workload.block_size);
  CHECK(result.ios > 0);
  CHECK(result.elapsed_ns > 0);
  if (result.lat.count() > 0) {
    CHECK(result.lat.count() == result.ios);
    CHECK(*result.lat.min_ns() <= *result.lat.max_ns());
    CHECK(*result.lat.max_ns() <= result.elapsed_ns * 2);
  }
  for (const auto& part : {result.slat, result.clat}) {
    if (!part) continue;
    CHECK(part->count() + slack >= result.ios);
    CHECK(part->count() <= result.ios + slack);
  }
  if (loop.per_thread.empty()) return;
  CHECK(loop.per_thread.size() == job.workload.threads);
  std::uint64_t ios = 0;
  std::uint64_t bytes = 0;
  for (const auto& thread : loop.per_thread) {
    CHECK(thread.op == job.workload.op);
    ios += thread.ios;
    bytes += thread.bytes;
  }
  CHECK(ios == result.ios);
  CHECK(bytes == result.bytes);
}

std::uint64_t slack_of(const Subject& subject, const Job& job) {
  const Workload& w = job.workload;
  return subject.entry->info.native || w.ramp_ns == 0 ? 0 : w.queue_depth * w.threads;
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

std::string children() { return slurp(fmt::format("/proc/self/task/{}/children", ::getpid())); }

TEST_CASE("There is a backend, each with engines, and two are built in", "[conformance][backend]") {
  std::size_t native = 0;
  for (const auto& entry : plugins().backends()) {
    INFO(entry.name);
    CHECK_FALSE(entry.info.engines.empty());
    CHECK_FALSE(entry.summary.empty());
    native += entry.info.native ? 1 : 0;
  }
  CHECK(native >= 2);
  CHECK(plugins().refusals().empty());
}

TEST_CASE("Backends count what they did: bytes, I/Os, latencies, threads",
          "[conformance][backend]") {
  for (const Subject& subject : subjects()) {
    for (const Op op : {Op::read, Op::write}) {
      INFO(subject.entry->name << ", " << subject.engine << ", " << to_text(op));
      const WorkFile file(kFileSize);
      Job job = modest_job(op);
      job.workload.runtime_ns = 300 * kMillisecond;
      job.workload.ramp_ns = 50 * kMillisecond;
      if (!available(subject, job, file)) continue;
      FakeContext context(file, subject.engine);
      const auto loop = subject.entry->backend->run(job, context);
      INFO((loop ? std::string() : loop.error().message));
      REQUIRE(loop.ok());
      check_sums(*loop, job, slack_of(subject, job));
      const auto& result = direction(*loop, op);
      CHECK(result.elapsed_ns >= job.workload.runtime_ns * 9 / 10);
      CHECK(context.phases.front() == Phase::prepare);
      CHECK(context.phases.back() == Phase::close);
    }
  }
}

TEST_CASE("Backends stop exactly at a limit of I/Os or bytes", "[conformance][backend]") {
  struct Limit {
    Op op;
    std::uint64_t ios;
    std::uint64_t bytes;
    std::uint64_t expected;  ///< I/Os
  };
  for (const Subject& subject : subjects()) {
    for (const Limit limit : {Limit{Op::read, 7, 0, 7}, Limit{Op::write, 0, 64 * kKiB * 9, 9},
                              Limit{Op::write, 50, 3 * kMiB, 48}}) {
      INFO(subject.entry->name << ", " << subject.engine << ", " << to_text(limit.op) << ", ios "
                               << limit.ios << ", bytes " << limit.bytes);
      const WorkFile file(kFileSize);
      Job job = modest_job(limit.op);
      job.workload.ios = limit.ios;
      job.workload.bytes = limit.bytes;
      if (!available(subject, job, file)) continue;
      FakeContext context(file, subject.engine);
      const auto loop = subject.entry->backend->run(job, context);
      INFO((loop ? std::string() : loop.error().message));
      REQUIRE(loop.ok());
      check_sums(*loop, job, slack_of(subject, job));
      CHECK(direction(*loop, limit.op).ios == limit.expected);
    }
  }
}

TEST_CASE("Native backends share a limit out among threads and depth without losing an I/O",
          "[conformance][backend]") {
  for (const Subject& subject : subjects()) {
    if (!subject.entry->info.native) continue;
    for (const std::uint64_t ios : {1U, 5U, 97U}) {
      INFO(subject.entry->name << ", " << subject.engine << ", " << ios);
      const WorkFile file(kFileSize);
      Job job = modest_job(Op::write);
      job.workload.pattern = Pattern::random;
      job.workload.block_size = 4 * kKiB;
      job.workload.queue_depth = 4;
      job.workload.threads = 3;
      job.workload.ios = ios;
      if (!available(subject, job, file)) continue;
      FakeContext context(file, subject.engine);
      const auto loop = subject.entry->backend->run(job, context);
      REQUIRE(loop.ok());
      check_sums(*loop, job, slack_of(subject, job));
      CHECK(direction(*loop, Op::write).ios == ios);
    }
  }
}

TEST_CASE("A cancelled backend returns at once with what it has", "[conformance][backend]") {
  // A busy machine may take its time; a backend that waits for its window does not pass.
  constexpr auto kPatience = std::chrono::seconds(2);
  for (const Subject& subject : subjects()) {
    INFO(subject.entry->name << ", " << subject.engine);
    const WorkFile file(kFileSize);
    Job job = modest_job(Op::read);
    job.workload.runtime_ns = 60 * kSecond;
    if (!available(subject, job, file)) continue;
    FakeContext context(file, subject.engine);
    const auto started = Clock::now();
    // dd and fio need a moment before there is anything to return.
    context.cancel = [&] { return Clock::now() - started > std::chrono::milliseconds(1500); };
    const auto loop = subject.entry->backend->run(job, context);
    CHECK(Clock::now() - started < std::chrono::milliseconds(1500) + kPatience);
    INFO((loop ? std::string() : loop.error().message));
    REQUIRE(loop.ok());
    check_sums(*loop, job, slack_of(subject, job));
    CHECK(direction(*loop, Op::read).elapsed_ns < 5 * kSecond);
  }
}

TEST_CASE("A backend cancelled from the start ends soon, with an answer",
          "[conformance][backend]") {
  for (const Subject& subject : subjects()) {
    INFO(subject.entry->name << ", " << subject.engine);
    const WorkFile file(kFileSize);
    Job job = modest_job(Op::read);
    job.workload.runtime_ns = 60 * kSecond;
    if (!available(subject, job, file)) continue;
    FakeContext context(file, subject.engine);
    context.cancel = [] { return true; };
    const auto started = Clock::now();
    const auto loop = subject.entry->backend->run(job, context);
    CHECK(Clock::now() - started < std::chrono::seconds(3));
    if (!loop) CHECK(loop.error().code == ErrorCode::cancelled);
  }
}

TEST_CASE("Backends leave nothing behind: no descriptor, child, file or change of size",
          "[conformance][backend]") {
  for (const Subject& subject : subjects()) {
    INFO(subject.entry->name << ", " << subject.engine);
    const WorkFile file(kFileSize);
    Job job = modest_job(Op::write);
    job.workload.runtime_ns = 100 * kMillisecond;
    if (!available(subject, job, file)) continue;
    FakeContext context(file, subject.engine);
    const std::size_t descriptors = open_descriptors();
    const std::string before = children();
    const auto loop = subject.entry->backend->run(job, context);
    REQUIRE(loop.ok());
    CHECK(open_descriptors() == descriptors);
    CHECK(children() == before);
    CHECK(file.content().size() == kFileSize);
    for (const auto& left : std::filesystem::directory_iterator(std::string(context.scratch()))) {
      CHECK(left.path().extension() == ".json");  // the runner removes the folder with its reports
    }
  }
}

TEST_CASE("Reads change no byte; writes stay inside the job's size", "[conformance][backend]") {
  for (const Subject& subject : subjects()) {
    INFO(subject.entry->name << ", " << subject.engine);
    const WorkFile file(kFileSize);
    Job job = modest_job(Op::read);
    job.workload.ios = 32;
    if (!available(subject, job, file)) continue;
    const std::string before = file.content();
    {
      FakeContext context(file, subject.engine);
      REQUIRE(subject.entry->backend->run(job, context).ok());
      CHECK(file.content() == before);
    }
    job = modest_job(Op::write);
    job.workload.size = kFileSize / 2;
    job.workload.bytes = kFileSize;  // twice round
    FakeContext context(file, subject.engine);
    const auto loop = subject.entry->backend->run(job, context);
    INFO((loop ? std::string() : loop.error().message));
    REQUIRE(loop.ok());
    const std::string after = file.content();
    CHECK(after.substr(kFileSize / 2) == before.substr(kFileSize / 2));
    CHECK(after.substr(0, kFileSize / 2) != before.substr(0, kFileSize / 2));
  }
}

TEST_CASE("What cannot be had is an Error that says why", "[conformance][backend]") {
  for (const Subject& subject : subjects()) {
    INFO(subject.entry->name << ", " << subject.engine);
    const WorkFile file(kFileSize);
    const Target target;
    const Job job = modest_job(Op::read);
    const auto capability = subject.entry->backend->probe({.target = target,
                                                           .job = job,
                                                           .engine = subject.engine,
                                                           .named = true,
                                                           .fd = -1,
                                                           .path = "/proc/self/fd/-1"});
    REQUIRE_FALSE(capability.ok());
    CHECK(capability.error().code == ErrorCode::unavailable);
    CHECK_FALSE(capability.error().message.empty());
  }
}

}  // namespace
}  // namespace sthd::test
