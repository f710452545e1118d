#include "runner/run/job.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "runner/host/direct.hpp"
#include "runner/host/health.hpp"
#include "runner/record/lines.hpp"
#include "runner/run/clock.hpp"
#include "runner/run/counting.hpp"

namespace sthd::run {
namespace {

// Set by a signal handler on whichever thread it finds, read by all.
std::atomic<bool> cancel_wanted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// The runner's side of a backend call, in the job process or the one that lays out the file.
class JobContext final : public RunContext {
 public:
  JobContext(const Task& task, int fd, Resolution resolution, int io_log)
      : task_(task),
        fd_(fd),
        io_log_(io_log),
        path_(fmt::format("/proc/{}/fd/{}", ::getpid(), fd)),
        resolution_(std::move(resolution)) {}

  [[nodiscard]] int fd() const noexcept override { return fd_; }
  [[nodiscard]] std::string_view path() const noexcept override { return path_; }
  [[nodiscard]] const Target& target() const noexcept override { return task_.held.target; }
  [[nodiscard]] const Resolution& resolution() const noexcept override { return resolution_; }
  [[nodiscard]] std::string_view scratch() const noexcept override { return task_.held.scratch; }
  [[nodiscard]] int io_log() const noexcept override { return io_log_; }
  void phase(Phase phase) noexcept override {
    if (counting_) counting_->phase(phase, monotonic_ns());
    send(record::PhaseLine{phase, loop_});
  }
  void sample(const Progress& progress) noexcept override { send(record::ProgressLine{progress}); }
  void raw(std::string_view text) noexcept override { send(record::RawLine{std::string(text)}); }
  [[nodiscard]] bool cancelled() const noexcept override {
    if (counting_) counting_->tick(monotonic_ns());
    return cancel_wanted;
  }

  void begin_loop(std::uint32_t loop, const host::Counters& counters, bool keeps_watch) {
    loop_ = loop;
    counting_.emplace(counters, keeps_watch);
  }
  /// What the loop that was begun last has counted.
  [[nodiscard]] Facts counted() { return counting_->facts(); }
  /// The series of one direction goes ahead of its loop, piece by piece.
  void send_series(Op op, std::optional<OpResult>& result) {
    if (!result) return;
    std::vector<Sample> series = std::exchange(result->samples, {});
    for (std::size_t i = 0; i < series.size(); i += record::kMostInALine) {
      const auto begin = std::next(series.begin(), static_cast<std::ptrdiff_t>(i));
      const auto n = std::min(record::kMostInALine, series.size() - i);
      const auto end = std::next(begin, static_cast<std::ptrdiff_t>(n));
      send(record::SamplesLine{op, {std::move_iterator(begin), std::move_iterator(end)}});
    }
  }
  void send(const record::Line& line) noexcept {
    try {
      if (!send_line(task_.out, record::encode(line)))
        cancel_wanted = true;  // nobody listens any more
    } catch (const std::exception&) {
      cancel_wanted = true;
    }
  }

 private:
  const Task& task_;
  int fd_;
  int io_log_;
  std::string path_;
  Resolution resolution_;
  std::uint32_t loop_ = 0;
  mutable std::optional<Counting> counting_;  ///< of this loop; cancelled() is a sign of life
};

Outcome<Backend*> backend_of(const Task& task, const std::string& name) {
  const auto* entry = task.inherited.plugins.backend(name);
  if (entry == nullptr) return Error{ErrorCode::internal, "no backend named " + name, 0};
  if (!entry->info.native && task.held.scratch.empty()) {
    return Error{
        ErrorCode::failed,
        "no folder for temporary files could be made; set TMPDIR to one that can be written", 0};
  }
  return entry->backend;
}

/// Empties the test file, so that the loop's writes extend it. What is freed is waited for, or the
/// measured window would pay for it; the front that the probes wrote is not worth the wait.
Outcome<CacheState> begin_new_file(int file, const Workload& workload) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0) return system_error("fstat of the test file", errno);
  if (::ftruncate(file, 0) != 0) return system_error("emptying the test file", errno);
  if (facts.st_size > static_cast<off_t>(kMiB) && ::fsync(file) != 0) {
    return system_error("fsync of the emptied test file", errno);
  }
  return CacheState{.asked = workload.cache, .reached_by = "new file", .verified = std::nullopt};
}

/// A state that cannot be reached is recorded as such, with the reason: the number stays and a
/// finding marks it.
Outcome<CacheState> prepare_cache(const Task& task, const Workload& workload, std::string& note) {
  if (workload.layout == Layout::none) return begin_new_file(task.held.file, workload);
  auto reached =
      host::reach_cache_state(task.held.file, workload, task.held.target, task.request.direct);
  if (reached || reached.error().code != ErrorCode::unavailable) return reached;
  note = reached.error().message;
  return CacheState{.asked = workload.cache, .verified = false};
}

}  // namespace

void listen_for_cancel() {
  struct sigaction action {};
  action.sa_handler = [](int) { cancel_wanted = true; };
  ::sigaction(SIGTERM, &action, nullptr);
}

bool send_line(int out, const std::string& line) {
  std::string text = line + '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t n = ::write(out, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Outcome<int> reopen(int file, const Workload& workload, bool direct) {
  int flags = O_CLOEXEC | (workload.op == Op::read ? O_RDONLY : O_RDWR);
  if (direct) flags |= O_DIRECT;
  if (workload.op != Op::read && workload.sync == SyncMode::o_sync) flags |= O_SYNC;
  if (workload.op != Op::read && workload.sync == SyncMode::o_dsync) flags |= O_DSYNC;
  const int fd = ::open(fmt::format("/proc/self/fd/{}", file).c_str(), flags);
  if (fd < 0) return system_error("reopening the test file", errno);
  return fd;
}

Outcome<Done> run_job(const Task& task) {
  const Job& job = task.inherited.jobs.at(task.request.job);
  auto backend = backend_of(task, task.request.backend);
  if (!backend) return backend.error();
  auto fd = reopen(task.held.file, job.workload, task.request.direct);
  if (!fd) return fd.error();
  const auto& target = task.held.target;
  const auto& disks = task.request.disks;
  const auto counted = disks.empty() ? host::leaf_disks({}, target) : disks;
  const host::Counters counters({}, target, counted);
  host::Health health({}, counted);
  const bool keeps_watch = task.inherited.plugins.backend(task.request.backend)->info.native;
  JobContext context(task, *fd,
                     Resolution{.backend = task.request.backend,
                                .engine = task.request.engine,
                                .direct_effective = task.request.direct_effective,
                                .queue_depth_effective = task.request.queue_depth,
                                .workers = task.request.workers},
                     task.inherited.io_log);
  const std::uint32_t end = task.request.first_loop + task.request.loops;
  for (std::uint32_t loop = task.request.first_loop; loop < end && !context.cancelled(); ++loop) {
    context.begin_loop(loop, counters, keeps_watch);
    context.phase(Phase::prepare);
    std::string note;
    const auto cache = prepare_cache(task, job.workload, note);
    if (!cache) return cache.error();
    health.begin();
    auto result = (*backend)->run(job, context);
    if (!result) return result.error();
    result->cache = *cache;
    result->counters = context.counted();
    for (Fact& fact : health.end()) result->counters.push_back(std::move(fact));
    if (!note.empty()) result->notes.push_back(note);
    context.send_series(Op::read, result->read);
    context.send_series(Op::write, result->write);
    context.send(record::LoopLine{std::move(*result)});
  }
  if (context.cancelled()) {
    return Error{ErrorCode::cancelled, "its process was told to stop before the row was complete",
                 0};
  }
  return Done{};
}

Outcome<Done> lay_out(const Task& task) {
  constexpr std::uint32_t kInFlight = 4;
  auto backend = backend_of(task, "native-psync");
  if (!backend) return backend.error();
  const std::uint64_t size = (task.request.size + kMiB - 1) / kMiB * kMiB;
  // Nothing of what jobs wrote into new files stays, nor do its extents.
  if (::ftruncate(task.held.file, 0) != 0) return system_error("emptying the test file", errno);
  // A hint only: where blocks are reserved at once, the writes need not extend the file one by one.
  if (::fallocate(task.held.file, 0, 0, static_cast<off_t>(size)) != 0 &&
      ::ftruncate(task.held.file, static_cast<off_t>(size)) != 0) {
    return system_error("sizing the test file", errno);
  }
  Job job{.id = "layout", .template_id = "layout", .label = "layout"};
  job.workload = Workload{.op = Op::write,
                          .block_size = kMiB,
                          .queue_depth = kInFlight,
                          .end_fsync = true,
                          .bytes = size,
                          .size = size};
  auto fd = reopen(task.held.file, job.workload, task.request.direct);
  if (!fd) return fd.error();
  JobContext context(task, *fd, Resolution{.direct_effective = task.request.direct}, -1);
  auto result = (*backend)->run(job, context);
  if (!result) return result.error();
  if (context.cancelled()) return Error{ErrorCode::cancelled, "interrupted", 0};
  return Done{};
}

}  // namespace sthd::run
