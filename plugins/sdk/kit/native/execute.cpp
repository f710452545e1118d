#include "kit/native/execute.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <system_error>
#include <thread>
#include <utility>

#include "kit/native/collect.hpp"
#include "kit/native/series.hpp"
#include "kit/native/thread_files.hpp"
#include "kit/native/usage.hpp"

namespace sthd::native {
namespace {

constexpr std::uint64_t kProgressEvery = 100 * kMillisecond;

/// One loop, seen from the thread that called Backend::run.
class Execution {
 public:
  Execution(const Job& job, RunContext& context, QueueTraits traits)
      : crew_(job.workload), job_(job), context_(context), traits_(traits), series_(job.workload) {}

  Outcome<LoopResult> run(void (*body)(Worker&, Crew&)) {
    context_.phase(Phase::prepare);
    if (auto made = make_workers(); !made) return made.error();
    Outcome<LoopResult> loop = measure(body);
    workers_.clear();  // they give their memory back before the series takes up more of it
    if (loop && loop->read) loop->read->samples = series_.take_samples(Op::read);
    if (loop && loop->write) loop->write->samples = series_.take_samples(Op::write);
    return loop;
  }

 private:
  /// Releases and joins the workers, whatever happened.
  struct Ending {
    Execution& execution;
    ~Ending() {
      execution.crew_.stop.store(true);
      execution.let_go();
      for (Gate* gate : {&execution.crew_.ready, &execution.crew_.go, &execution.crew_.close}) {
        gate->throw_open();
      }
      for (auto& thread : execution.threads_) thread.join();
    }
  };

  Outcome<LoopResult> measure(void (*body)(Worker&, Crew&)) {
    const Ending ending{*this};
    start(body);
    watch();
    return crew_.error ? Outcome<LoopResult>(*crew_.error) : finish();
  }

  Outcome<Done> make_workers() {
    const Workload& w = job_.workload;
    auto regions = divide(w);
    if (!regions) return regions.error();
    const std::uint32_t each = traits_.synchronous ? w.queue_depth : 1;
    const std::uint32_t depth = traits_.synchronous ? 1 : w.queue_depth;
    const std::uint64_t count = std::uint64_t{each} * w.threads;
    if (auto fits = check_memory(); !fits) return fits;
    const std::uint64_t seed = fresh_seed();
    const std::uint64_t limit = limit_in_ios(w);
    const BufferKind data = w.op == Op::read ? BufferKind::zeros : w.buffer;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t thread = i / each;
      const bool alone = each == 1 && w.region != Region::shared;
      const std::uint64_t own = seed + std::uint64_t{2} * i;
      auto& worker = workers_.emplace_back(
          thread, depth, own,
          Offsets(regions->parts[thread], regions->cursors[thread], alone, w, seed),
          Buffers(depth, w.block_size, data, own + 1));
      worker.fd = files_.of(thread, context_.fd());
      worker.open_histograms(w, traits_.synchronous, count);
      if (limit > 0) worker.quota = limit / count + (i < limit % count ? 1 : 0);
    }
    crew_.fd = context_.fd();
    crew_.logging = context_.io_log() >= 0;
    const bool buffered = !context_.resolution().direct_effective.value_or(false);
    if (w.op != Op::read && w.sync == SyncMode::none && buffered) {
      constexpr std::uint64_t kTold = 64;  // times between two flushes
      crew_.flush_every = w.size;
      crew_.tell_every = w.size / (kTold * count);
    }
    return Done{};
  }

  [[nodiscard]] bool uses(Op op) const {
    return job_.workload.op == op || job_.workload.op == Op::mixed;
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
      crew_.schedule.begin(std::max<std::uint64_t>(1, job_.workload.rate_iops),
                           crew_.ramp_start_ns);
      if (job_.workload.ramp_ns > 0) crew_.phase.store(Phase::ramp);
    });
    crew_.go.expect(count, [this] {
      flush_ramp();
      announce();
      cpu_before_ = cpu_use();
      crew_.start_ns = now_ns();
      crew_.schedule.begin(std::max<std::uint64_t>(1, job_.workload.rate_iops), crew_.start_ns);
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
        threads_.emplace_back([this, body, i] {
          ::prctl(PR_SET_TIMERSLACK, 1UL);  // a due I/O is not to wait for the kernel's convenience
          body(workers_[i], crew_);
        });
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

  /// At the start barrier, from the worker that opens it: nothing of the ramp is in flight and
  /// nothing of the window has begun, so that what the runner counts now is the window's alone.
  /// Only the thread that called run() may tell it, and that one waits for no worker that was
  /// stopped.
  void announce() {
    std::unique_lock lock(mutex_);
    barrier_ = Barrier::reached;
    changed_.notify_one();
    announced_.wait(lock, [this] { return barrier_ == Barrier::announced || crew_.stop.load(); });
  }

  /// Until the last worker is done: phases, progress, samples, cancellation.
  void watch() {
    constexpr std::uint64_t kLook = 20 * kMillisecond;
    std::unique_lock lock(mutex_);
    Phase told = Phase::prepare;
    std::uint64_t next_sample = job_.workload.sample_ns;
    std::uint64_t next_progress = kProgressEvery;
    std::uint64_t pause = kLook;
    while (running_ > 0) {
      changed_.wait_for(lock, std::chrono::nanoseconds(pause),
                        [this] { return running_ == 0 || barrier_ == Barrier::reached; });
      if (barrier_ == Barrier::reached) {
        context_.phase(told = Phase::measure);
        barrier_ = Barrier::announced;
        announced_.notify_one();
      }
      lock.unlock();
      if (context_.cancelled()) crew_.stop.store(true, std::memory_order_relaxed);
      const Phase phase = crew_.phase.load();
      if (phase > told) context_.phase(told = phase);
      pause = kLook;
      if (phase == Phase::measure) {
        const std::uint64_t elapsed = now_ns() - crew_.start_ns;
        if (elapsed >= next_sample) series_.take(workers_, elapsed);
        if (elapsed >= next_progress) progress(elapsed);
        next_sample = following(elapsed, job_.workload.sample_ns);
        next_progress = following(elapsed, kProgressEvery);
        pause = std::min(kLook, next_sample - elapsed);
      }
      lock.lock();
    }
  }
  /// The next multiple of `step`.
  static std::uint64_t following(std::uint64_t now, std::uint64_t step) {
    return (now / step + 1) * step;
  }

  void progress(std::uint64_t elapsed) {
    Progress so_far{.elapsed_ns = elapsed, .p99_ns = series_.newest_p99_ns()};
    for (const auto& worker : workers_) {
      for (const Tally& tally : worker.tallies) {
        so_far.ios += tally.ios.load(std::memory_order_relaxed);
      }
    }
    so_far.bytes = so_far.ios * job_.workload.block_size;
    context_.sample(so_far);
  }

  Outcome<LoopResult> finish() {
    LoopResult loop;
    std::uint64_t end = crew_.start_ns;
    for (const auto& worker : workers_) end = std::max(end, worker.last_ns);
    const std::uint64_t measured = end - crew_.start_ns;
    series_.take(workers_, measured);
    progress(measured);
    if (traits_.kernel_workers) loop.kernel_workers = count_kernel_workers();
    if (!context_.cancelled()) note_missed_rate(job_.workload, workers_, measured, loop.notes);
    if (job_.workload.end_fsync && uses(Op::write)) {
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
    close_window();
    loop.cpu = CpuUse{now.user_ns - cpu_before_.user_ns, now.system_ns - cpu_before_.system_ns,
                      *now.voluntary_switches - *cpu_before_.voluntary_switches,
                      *now.involuntary_switches - *cpu_before_.involuntary_switches};
    loop.notes.insert(loop.notes.end(), crew_.notes.begin(), crew_.notes.end());
    collect(workers_, crew_, traits_, end - crew_.start_ns, loop);
    if (crew_.logging) write_log(job_, workers_, context_.io_log());
    return loop;
  }

  /// A worker at the barrier is not waited for any more.
  void let_go() {
    {
      const std::lock_guard lock(mutex_);  // it is either before its look at `stop`, or waits
      announced_.notify_one();
    }
    close_window();
  }
  /// Told once, as soon as the window is over.
  void close_window() {
    if (!std::exchange(closed_, true)) context_.phase(Phase::close);
  }

  Crew crew_;  // first: aligned to a cache line
  const Job& job_;
  RunContext& context_;
  QueueTraits traits_;
  Series series_;
  ThreadFiles files_;
  std::deque<Worker> workers_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable announced_;
  enum class Barrier { ahead, reached, announced } barrier_ = Barrier::ahead;
  bool closed_ = false;
  std::uint32_t running_ = 0;
  CpuUse cpu_before_;
};

}  // namespace

Outcome<LoopResult> execute_with(const Job& job, RunContext& context, QueueTraits traits,
                                 void (*body)(Worker&, Crew&)) {
  return Execution(job, context, traits).run(body);
}

}  // namespace sthd::native
