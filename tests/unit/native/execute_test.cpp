#include "kit/native/execute.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <functional>
#include <string>
#include <thread>

#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::native;

namespace {

/// A context around a file in memory or nothing at all.
class Context final : public RunContext {
 public:
  explicit Context(int fd) : fd_(fd) {}
  [[nodiscard]] int fd() const noexcept override { return fd_; }
  [[nodiscard]] std::string_view path() const noexcept override { return {}; }
  [[nodiscard]] const Target& target() const noexcept override { return target_; }
  [[nodiscard]] const Resolution& resolution() const noexcept override { return resolution_; }
  [[nodiscard]] std::string_view scratch() const noexcept override { return {}; }
  [[nodiscard]] int io_log() const noexcept override { return log_; }
  void phase(Phase phase) noexcept override {
    phases.push_back(phase);
    if (on_phase) on_phase(phase);
  }
  void sample(const Progress&) noexcept override { ++samples; }
  void raw(std::string_view) noexcept override {}
  [[nodiscard]] bool cancelled() const noexcept override { return cancel; }

  std::atomic<bool> cancel{false};
  std::vector<Phase> phases;
  std::function<void(Phase)> on_phase;
  int samples = 0;
  int log_ = -1;
  Resolution resolution_;

 private:
  int fd_;
  Target target_;
};

/// What the fake device does with each I/O; shared by the queues of all workers.
struct Script {
  std::atomic<std::uint64_t> submitted{0};
  std::atomic<std::int64_t> fail_at{-1};  ///< this I/O (0-based) gets `result`
  std::atomic<std::int64_t> result{0};
  std::atomic<bool> halves{false};  ///< transfers half of what is asked
  std::atomic<bool> refuse_open{false};
  std::atomic<bool> slow_close{false};
};
Script script;

void reset() {
  script.submitted = 0;
  script.fail_at = -1;
  script.halves = false;
  script.refuse_open = false;
  script.slow_close = false;
}

/// A device without latency: completes whatever was submitted, newest first.
class FakeQueue {
 public:
  static constexpr bool kKernelWorkers = false;
  Outcome<Done> open(const QueueSetup& setup) {
    if (script.refuse_open) return Error{ErrorCode::unavailable, "no more queues", EAGAIN};
    depth_ = setup.depth;
    return Done{};
  }
  int submit(std::span<Slot* const> batch) {
    for (Slot* slot : batch) {
      const auto index = static_cast<std::int64_t>(script.submitted.fetch_add(1));
      auto result = static_cast<std::int64_t>(slot->length);
      if (script.halves && slot->length > 512) result /= 2;
      if (index == script.fail_at) result = script.result;
      waiting_.push_back({slot, result});
    }
    return waiting_.size() > depth_ ? -EBUSY : 0;
  }
  int ready(std::span<Completed> out) {
    if (waiting_.empty()) return 0;
    out[0] = waiting_.back();
    waiting_.pop_back();
    return 1;
  }
  int wait(std::span<Completed> out, std::uint64_t ns) {
    return waiting_.empty() && ns == kNoTimeout ? -EDEADLK : ready(out);
  }
  std::vector<std::string> notes() { return {"a note"}; }
  void close() {
    if (script.slow_close) std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }

 private:
  std::size_t depth_ = 0;
  std::deque<Completed> waiting_;
};

Job job(Workload w) {
  w.size = 64 * 4096;
  return Job{.id = "test", .template_id = "test", .label = "test", .workload = std::move(w)};
}

Outcome<LoopResult> execute_fake(const Workload& w, Context& context) {
  return execute<FakeQueue>(job(w), context);
}

}  // namespace

TEST_CASE("An ios limit is met exactly over all threads", "[native][execute]") {
  reset();
  Context context(-1);
  const auto loop = execute_fake({.queue_depth = 4, .threads = 3, .ios = 100}, context);
  REQUIRE(loop.ok());
  CHECK(loop->read->ios == 100);
  CHECK(loop->read->bytes == 100 * 4096);
  CHECK(loop->read->lat.count() == 100);
  CHECK(loop->read->slat->count() == 100);
  CHECK(loop->read->clat->count() == 100);
  CHECK(script.submitted == 100);
  REQUIRE(loop->per_thread.size() == 3);
  CHECK(loop->per_thread[0].ios == 34);
  CHECK(loop->per_thread[2].ios == 33);
}

TEST_CASE("A limit smaller than the number of threads leaves some idle", "[native][execute]") {
  reset();
  Context context(-1);
  const auto loop = execute_fake({.queue_depth = 2, .threads = 8, .ios = 3}, context);
  REQUIRE(loop.ok());
  CHECK(loop->read->ios == 3);
}

TEST_CASE("A short transfer is continued and counts once", "[native][execute]") {
  reset();
  script.halves = true;
  Context context(-1);
  const auto loop = execute_fake({.queue_depth = 2, .ios = 10}, context);
  REQUIRE(loop.ok());
  CHECK(loop->read->ios == 10);
  CHECK(loop->read->bytes == 10 * 4096);
  CHECK(script.submitted == 40);  // 2048 + 1024 + 512 + 512 bytes each
}

TEST_CASE("A failed I/O fails the job with errno and offset", "[native][execute]") {
  reset();
  script.fail_at = 2;
  script.result = -EIO;
  Context context(-1);
  const auto loop = execute_fake({.op = Op::write, .ios = 10}, context);
  REQUIRE_FALSE(loop.ok());
  CHECK(loop.error().message == "write of 4096 bytes at offset 8192: Input/output error (EIO)");
  CHECK(loop.error().system_errno == EIO);
}

TEST_CASE("A transfer of nothing is the end of the file", "[native][execute]") {
  reset();
  script.fail_at = 1;
  script.result = 0;
  Context context(-1);
  const auto loop = execute_fake({.ios = 10}, context);
  REQUIRE_FALSE(loop.ok());
  CHECK(loop.error().message ==
        "read of 4096 bytes at offset 4096: the file ended there (short transfer)");
}

TEST_CASE("A queue that cannot be opened ends every worker", "[native][execute]") {
  reset();
  script.refuse_open = true;
  Context context(-1);
  const auto loop = execute_fake({.threads = 4, .runtime_ns = kSecond}, context);
  REQUIRE_FALSE(loop.ok());
  CHECK(loop.error().message == "no more queues");
  CHECK(script.submitted == 0);
}

TEST_CASE("Cancelling ends a job that has no other end, with what was measured",
          "[native][execute]") {
  reset();
  Context context(-1);
  context.cancel = true;
  const auto loop =
      execute_fake({.queue_depth = 4, .threads = 2, .runtime_ns = kMaxDuration}, context);
  REQUIRE(loop.ok());
  CHECK(loop->read->lat.count() == loop->read->ios);
}

TEST_CASE("The ramp is not counted", "[native][execute]") {
  reset();
  Context context(-1);
  const auto loop =
      execute_fake({.queue_depth = 4, .ramp_ns = 30 * kMillisecond, .ios = 5}, context);
  REQUIRE(loop.ok());
  CHECK(loop->read->ios == 5);
  CHECK(script.submitted > 5);
}

TEST_CASE("The window is told with the ramp drained and nothing of it begun, and closed at its end",
          "[native][execute]") {
  reset();
  Context context(-1);
  std::vector<std::uint64_t> submitted;  // at measure and at close
  context.on_phase = [&](Phase phase) {
    if (phase != Phase::measure && phase != Phase::close) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // a worker that did not wait shows
    submitted.push_back(script.submitted);
  };
  const auto loop = execute_fake(
      {.queue_depth = 4, .threads = 3, .ramp_ns = 30 * kMillisecond, .ios = 1000}, context);
  REQUIRE(loop.ok());
  REQUIRE(submitted.size() == 2);
  CHECK(submitted[1] - submitted[0] == 1000);
  CHECK(context.phases == std::vector{Phase::prepare, Phase::ramp, Phase::measure, Phase::close});
}

TEST_CASE("The raw log holds every I/O and gives the same percentiles", "[native][execute]") {
  reset();
  std::string name = "/tmp/sthd-log-XXXXXX";
  const int log = ::mkstemp(name.data());
  REQUIRE(log >= 0);
  ::unlink(name.c_str());
  Context context(-1);
  context.log_ = log;
  const auto loop = execute_fake({.queue_depth = 8, .threads = 2, .ios = 2000}, context);
  REQUIRE(loop.ok());
  ::lseek(log, 0, SEEK_SET);
  FILE* file = ::fdopen(log, "r");
  std::vector<std::uint64_t> latencies;
  unsigned long long offset = 0, bytes = 0, latency = 0;
  while (std::fscanf(file, "test,read,%llu,%llu,%llu\n", &offset, &bytes, &latency) == 3) {
    CHECK(bytes == 4096);
    latencies.push_back(latency);
  }
  std::fclose(file);
  REQUIRE(latencies.size() == 2000);
  std::sort(latencies.begin(), latencies.end());
  for (const double q : {0.5, 0.9, 0.99}) {
    const auto exact = static_cast<double>(latencies[static_cast<std::size_t>(q * 2000) - 1]);
    const auto shown = static_cast<double>(loop->read->lat.quantile_ns(q).value());
    CHECK(std::abs(shown - exact) <= exact * 0.008 + 1);
  }
}

TEST_CASE("Closing a slow queue is not part of what was measured", "[native][execute]") {
  reset();
  script.slow_close = true;
  Context context(-1);
  const auto loop = execute_fake({.op = Op::write, .threads = 2, .ios = 4}, context);
  REQUIRE(loop.ok());
  std::uint64_t last = 0;
  for (const auto& thread : loop->per_thread) last = std::max(last, thread.elapsed_ns);
  CHECK(loop->write->elapsed_ns == last);
}

TEST_CASE("Mixed I/O is counted by direction and drawn by its share", "[native][execute]") {
  reset();
  Context context(-1);
  context.resolution_.direct_effective = true;  // nothing to flush
  const auto loop = execute_fake({.op = Op::mixed,
                                  .pattern = Pattern::random,
                                  .queue_depth = 4,
                                  .threads = 2,
                                  .ios = 20000,
                                  .read_percent = 70},
                                 context);
  REQUIRE(loop.ok());
  CHECK(loop->read->ios + loop->write->ios == 20000);
  CHECK(loop->read->lat.count() == loop->read->ios);
  CHECK(loop->write->slat->count() == loop->write->ios);
  CHECK(loop->read->ios > 13600);  // 14000 ± six standard deviations
  CHECK(loop->read->ios < 14400);
  REQUIRE(loop->per_thread.size() == 4);
  CHECK(loop->per_thread[0].ios + loop->per_thread[2].ios == 10000);
  CHECK(loop->per_thread[3].op == Op::write);
}

TEST_CASE("What a queue has to say is noted once, not by each thread", "[native][execute]") {
  reset();
  Context context(-1);
  const auto loop = execute_fake({.threads = 3, .ios = 3}, context);
  REQUIRE(loop.ok());
  CHECK(loop->notes == std::vector<std::string>{"a note"});
}

TEST_CASE("At a rate, I/Os start when they are due", "[native][execute]") {
  reset();
  Context context(-1);
  const auto loop =
      execute_fake({.queue_depth = 2, .threads = 2, .ios = 50, .rate_iops = 1000}, context);
  REQUIRE(loop.ok());
  CHECK(loop->read->ios == 50);
  CHECK(loop->read->elapsed_ns >= 49 * kMillisecond);  // the last one is due then
  CHECK(loop->read->response->count() == 50);
  CHECK(loop->read->response->sum_ns() >= loop->read->lat.sum_ns());
}

TEST_CASE("Without a rate there is no response time apart", "[native][execute]") {
  reset();
  Context context(-1);
  const auto loop = execute_fake({.ios = 3}, context);
  REQUIRE(loop.ok());
  CHECK_FALSE(loop->read->response);
  CHECK(loop->submit_ns);
  CHECK(loop->per_thread[0].first_ns.value() <= loop->per_thread[0].elapsed_ns);
}

TEST_CASE("The samples add up to the whole", "[native][execute]") {
  reset();
  Context context(-1);
  const auto loop = execute_fake({.queue_depth = 4, .threads = 2, .ios = 1000}, context);
  REQUIRE(loop.ok());
  std::uint64_t ios = 0;
  std::uint64_t binned = 0;
  for (const auto& sample : loop->read->samples) {
    ios += sample.ios;
    for (const auto& bin : sample.lat) binned += bin.second;
  }
  CHECK(ios == 1000);
  CHECK(binned == 1000);
}
