#include "kit/native/execute.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <system_error>
#include <thread>

namespace sthd::native {
namespace {

constexpr std::uint64_t kSampleEvery = 100 * kMillisecond;
constexpr std::size_t kMostSamples = 600;

CpuUse cpu_use() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * kSecond +
           static_cast<std::uint64_t>(t.tv_usec) * 1000;
  };
  return {ns(usage.ru_utime), ns(usage.ru_stime), static_cast<std::uint64_t>(usage.ru_nvcsw),
          static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

/// One loop, seen from the thread that called Backend::run.
class Execution {
 public:
  Execution(const Job& job, RunContext& context, bool synchronous)
      : job_(job), context_(context), synchronous_(synchronous), crew_(job.workload) {}

  Outcome<LoopResult> run(void (*body)(Worker&, Crew&)) {
    context_.phase(Phase::prepare);
    if (auto made = make_workers(); !made) return made.error();
    const Ending ending{*this};
    start(body);
    watch();
    return crew_.error ? Outcome<LoopResult>(*crew_.error) : finish();
  }

 private:
  /// Releases and joins the workers, whatever happened.
  struct Ending {
    Execution& execution;
    ~Ending() {
      execution.crew_.stop.store(true);
      execution.context_.phase(Phase::close);
      for (Gate* gate : {&execution.crew_.ready, &execution.crew_.go, &execution.crew_.close}) {
        gate->throw_open();
      }
      for (auto& thread : execution.threads_) thread.join();
    }
  };

  Outcome<Done> make_workers() {
    const Workload& w = job_.workload;
    auto regions = divide(w);
    if (!regions) return regions.error();
    const std::uint32_t each = synchronous_ ? w.queue_depth : 1;
    const std::uint64_t count = std::uint64_t{each} * w.threads;
    if (auto fits = check_memory(); !fits) return fits;
    const std::uint64_t seed = fresh_seed();
    const std::uint64_t limit = limit_in_ios(w);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t thread = i / each;
      const bool alone = each == 1 && w.region != Region::shared;
      const std::uint32_t depth = synchronous_ ? 1 : w.queue_depth;
      auto& worker = workers_.emplace_back(
          thread, depth,
          Offsets(regions->parts[thread], regions->cursors[thread], alone, w,
                  seed + std::uint64_t{2} * i),
          Buffers(depth, w.block_size, w.buffer, seed + std::uint64_t{2} * i + 1));
      if (limit > 0) worker.quota = limit / count + (i < limit % count ? 1 : 0);
    }
    crew_.fd = context_.fd();
    crew_.logging = context_.io_log() >= 0;
    const bool buffered = !context_.resolution().direct_effective.value_or(false);
    if (w.op == Op::write && w.sync == SyncMode::none && buffered) crew_.flush_every = w.size;
    return Done{};
  }

  /// Buffers that wake the OOM killer would cost more than a row.
  [[nodiscard]] Outcome<Done> check_memory() const {
    const Workload& w = job_.workload;
    const std::uint64_t need = std::uint64_t{w.queue_depth} * w.threads * w.block_size;
    struct sysinfo memory {};
    if (::sysinfo(&memory) != 0 || need <= std::uint64_t{memory.totalram} * memory.mem_unit / 2)
      return Done{};
    return Error{
        ErrorCode::refused,
        fmt::format(
            "queue depth {} x {} threads needs {} of buffers, more than half of this machine's "
            "memory; lower block_size, queue_depth or threads",
            w.queue_depth, w.threads, human_size(need)),
        0};
  }

  void start(void (*body)(Worker&, Crew&)) {
    const auto count = static_cast<std::uint32_t>(workers_.size());
    crew_.ready.expect(count, [this] {
      crew_.ramp_start_ns = now_ns();
      if (job_.workload.ramp_ns > 0) crew_.phase.store(Phase::ramp);
    });
    crew_.go.expect(count, [this] {
      flush_ramp();
      cpu_before_ = cpu_use();
      crew_.start_ns = now_ns();
      crew_.phase.store(Phase::measure);
    });
    crew_.drained = [this] {
      const std::lock_guard lock(mutex_);
      --running_;
      changed_.notify_one();
    };
    running_ = count;
    for (std::uint32_t i = 0; i < count; ++i) {
      try {
        threads_.emplace_back([this, body, i] { body(workers_[i], crew_); });
      } catch (const std::system_error& e) {
        crew_.fail(
            {ErrorCode::failed,
             fmt::format("thread {} of {} could not be started: {}; lower queue_depth or threads",
                         i + 1, count, e.code().message()),
             e.code().value()});
        crew_.ready.throw_open();
        crew_.go.throw_open();
        const std::lock_guard lock(mutex_);
        running_ -= count - i;
        return;
      }
    }
  }

  /// What the ramp wrote into RAM must not be paid for by the measured window.
  void flush_ramp() {
    if (crew_.flush_every == 0 || job_.workload.ramp_ns == 0 || crew_.stop.load()) return;
    if (::fdatasync(crew_.fd) != 0) crew_.fail(system_error("fdatasync after the ramp", errno));
    crew_.written.store(0);
  }

  /// Until the last worker is done: phases, progress, samples, cancellation.
  void watch() {
    std::unique_lock lock(mutex_);
    Phase told = Phase::prepare;
    std::uint64_t next_sample = 0;
    while (running_ > 0) {
      changed_.wait_for(lock, std::chrono::milliseconds(20));
      lock.unlock();
      if (context_.cancelled()) crew_.stop.store(true, std::memory_order_relaxed);
      const Phase phase = crew_.phase.load();
      if (phase != told) context_.phase(told = phase);
      if (phase == Phase::measure) {
        const std::uint64_t elapsed = now_ns() - crew_.start_ns;
        if (elapsed >= next_sample + kSampleEvery) {
          next_sample = elapsed - elapsed % kSampleEvery;
          sample(elapsed);
        }
      }
      lock.lock();
    }
  }

  void sample(std::uint64_t elapsed) {
    Progress progress{.elapsed_ns = elapsed};
    for (const auto& worker : workers_) {
      progress.ios += worker.shown_ios.load(std::memory_order_relaxed);
      progress.bytes += worker.shown_bytes.load(std::memory_order_relaxed);
    }
    if (samples_.empty() || elapsed > samples_.back().at_ns) samples_.push_back({elapsed, 0, 0});
    samples_.back().ios += progress.ios - last_.ios;
    samples_.back().bytes += progress.bytes - last_.bytes;
    last_ = progress;
    if (samples_.size() > kMostSamples) coarsen();
    context_.sample(progress);
  }

  void coarsen() {
    std::vector<Sample> merged;
    for (std::size_t i = 0; i + 1 < samples_.size(); i += 2) {
      merged.push_back({samples_[i + 1].at_ns, samples_[i].ios + samples_[i + 1].ios,
                        samples_[i].bytes + samples_[i + 1].bytes});
    }
    if (samples_.size() % 2 == 1) merged.push_back(samples_.back());
    samples_ = std::move(merged);
  }

  Outcome<LoopResult> finish() {
    LoopResult loop;
    std::uint64_t end = crew_.start_ns;
    for (const auto& worker : workers_) end = std::max(end, worker.last_ns);
    sample(std::max(end - crew_.start_ns, last_.elapsed_ns));
    if (job_.workload.end_fsync && job_.workload.op == Op::write) {
      if (context_.cancelled()) {
        if (crew_.flush_every > 0) {
          return Error{ErrorCode::cancelled, "interrupted before the data was on the device", 0};
        }
        loop.notes.emplace_back("interrupted before the final fsync");
      } else {
        context_.phase(Phase::end_fsync);
        const std::uint64_t before = now_ns();
        if (::fsync(crew_.fd) != 0) return system_error("the final fsync", errno);
        loop.end_fsync_ns = now_ns() - before;
        end += *loop.end_fsync_ns;
      }
    }
    const CpuUse now = cpu_use();
    loop.cpu = CpuUse{now.user_ns - cpu_before_.user_ns, now.system_ns - cpu_before_.system_ns,
                      *now.voluntary_switches - *cpu_before_.voluntary_switches,
                      *now.involuntary_switches - *cpu_before_.involuntary_switches};
    collect(loop, end - crew_.start_ns);
    write_log();
    return loop;
  }

  void collect(LoopResult& loop, std::uint64_t elapsed) {
    const Op op = job_.workload.op;
    OpResult result{.elapsed_ns = elapsed, .samples = std::move(samples_)};
    LatencyHistogram slat;
    LatencyHistogram clat;
    LatencyHistogram sync;
    loop.per_thread.resize(job_.workload.threads);
    for (const auto& worker : workers_) {
      result.ios += worker.ios;
      result.bytes += worker.bytes;
      result.lat.merge(worker.lat);
      slat.merge(worker.slat);
      clat.merge(worker.clat);
      sync.merge(worker.sync);
      auto& thread = loop.per_thread[worker.thread];
      thread.thread = worker.thread;
      thread.op = op;
      thread.ios += worker.ios;
      thread.bytes += worker.bytes;
      thread.elapsed_ns = std::max(thread.elapsed_ns, worker.last_ns - crew_.start_ns);
    }
    if (synchronous_) {
      result.clat = result.lat;  // one call submits and completes: there is no submission apart
    } else {
      result.slat = std::move(slat);
      result.clat = std::move(clat);
    }
    if (sync.count() > 0) result.sync = std::move(sync);
    (op == Op::read ? loop.read : loop.write) = std::move(result);
  }

  void write_log() {
    if (!crew_.logging) return;
    fmt::memory_buffer text;
    for (const auto& worker : workers_) {
      for (const auto& entry : worker.log) {
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", job_.id, to_text(entry.op),
                       entry.offset, job_.workload.block_size, entry.latency_ns);
      }
    }
    const char* at = text.data();
    std::size_t left = text.size();
    while (left > 0) {
      const ssize_t n = ::write(context_.io_log(), at, left);
      if (n <= 0) return;
      at += n;
      left -= static_cast<std::size_t>(n);
    }
  }

  const Job& job_;
  RunContext& context_;
  bool synchronous_;
  Crew crew_;
  std::deque<Worker> workers_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t running_ = 0;
  CpuUse cpu_before_;
  std::vector<Sample> samples_;
  Progress last_;
};

}  // namespace

Outcome<LoopResult> execute_with(const Job& job, RunContext& context, bool synchronous,
                                 void (*body)(Worker&, Crew&)) {
  return Execution(job, context, synchronous).run(body);
}

}  // namespace sthd::native
