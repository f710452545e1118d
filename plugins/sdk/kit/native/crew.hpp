#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kit/native/buffers.hpp"
#include "kit/native/gate.hpp"
#include "kit/native/live_histogram.hpp"
#include "kit/native/offsets.hpp"
#include "sthd/backend.hpp"

namespace sthd::native {

/// When each I/O of an open loop is due: evenly spaced over all threads, whoever is free takes the
/// next one. Alone in its cache line; touched only where a rate was asked for.
class alignas(64) Schedule {
 public:
  /// `rate` I/Os a second from `start_ns` on.
  void begin(std::uint64_t rate, std::uint64_t start_ns) {
    rate_ = rate;
    start_ns_ = start_ns;
    next_.store(0, std::memory_order_relaxed);
  }
  /// Clock of the next I/O that nobody has taken.
  std::uint64_t take() noexcept {
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
    return start_ns_ + static_cast<std::uint64_t>(static_cast<Wide>(index) * kSecond / rate_);
  }

 private:
  std::atomic<std::uint64_t> next_{0};
  std::uint64_t rate_ = 1;
  std::uint64_t start_ns_ = 0;
};

/// What the workers of one loop share.
struct Crew {
  Schedule schedule;  // first: it fills a cache line
  const Workload& workload;
  /// Buffered writes without sync: fdatasync each time this many bytes were written over all
  /// threads, since a small file rewritten in RAM would report the RAM. 0 = never.
  std::uint64_t flush_every = 0;
  /// A worker tells what it wrote in pieces of this size, so that no I/O pays for a shared counter.
  std::uint64_t tell_every = 0;
  Gate ready;  ///< all queues are open
  Gate go;     ///< all ramps are drained; its action reads the start clock
  Gate close;  ///< opened when the end of the window has been measured: closing a queue takes time
  std::function<void()> drained;  ///< called by each worker whose window has ended
  std::atomic<std::uint64_t> written{0};
  std::mutex flush;  ///< held during such a flush: who wrote on meanwhile would write into RAM
  std::uint64_t ramp_start_ns = 0;
  std::uint64_t start_ns = 0;
  std::mutex mutex;
  std::optional<Error> error;      ///< the first one
  std::vector<std::string> notes;  ///< each once
  int fd = -1;
  std::atomic<Phase> phase{Phase::prepare};
  bool logging = false;
  std::atomic<bool> stop{false};
  std::atomic<bool> flushing{false};  ///< `flush` is held

  explicit Crew(const Workload& w) : workload(w) {}
  /// True when there was something to wait for.
  bool wait_for_flush() {
    if (!flushing.load(std::memory_order_relaxed)) return false;
    const std::lock_guard lock(flush);
    return true;
  }
  void fail(Error what) {
    const std::lock_guard lock(mutex);
    if (!error) error = std::move(what);
    stop.store(true, std::memory_order_relaxed);
  }
  void note(const std::string& what) {
    const std::lock_guard lock(mutex);
    if (std::find(notes.begin(), notes.end(), what) == notes.end()) notes.push_back(what);
  }
};

struct LogEntry {
  Op op;
  std::uint64_t offset;
  std::uint64_t latency_ns;
};

/// What one worker measured in one direction.
struct Tally {
  LiveHistogram lat, slat, clat, response;
  std::atomic<std::uint64_t> ios{0};  ///< written by the worker alone

  void count(std::uint64_t n) noexcept {
    ios.store(ios.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};

/// One thread that issues I/O. `thread` is the workload's thread it serves: with a synchronous
/// queue several workers serve one.
struct alignas(64) Worker {
  std::uint32_t thread = 0;
  std::uint32_t depth = 1;
  int fd = -1;                       ///< its thread's own description of the file, or the crew's
  std::uint64_t quota = UINT64_MAX;  ///< I/Os left under the job's limit
  Random random;
  Offsets offsets;
  Buffers buffers;
  std::array<Tally, 2> tallies;  ///< of Op::read and Op::write
  LiveHistogram sync;
  std::uint64_t first_ns = 0;   ///< clock of the first completion in the window; 0 = none
  std::uint64_t last_ns = 0;    ///< clock of the last one, or of the last sync
  std::uint64_t submit_ns = 0;  ///< spent in submission calls
  std::uint64_t untold = 0;     ///< bytes written that Crew::written does not know of
  std::vector<LogEntry> log;

  Worker(std::uint32_t thread_index, std::uint32_t queue_depth, std::uint64_t seed, Offsets where,
         Buffers data)
      : thread(thread_index),
        depth(queue_depth),
        random(seed),
        offsets(std::move(where)),
        buffers(std::move(data)) {}
  /// One of `workers`. Rare latencies would touch new pages as long as a job runs, and a longer one
  /// would need more memory; so those of a few workers have all of it from the start.
  void open_histograms(const Workload& w, bool synchronous, std::size_t workers) {
    constexpr std::size_t kMostAtOnce = 512;  // 6 MiB
    const std::size_t sides = w.op == Op::mixed ? 2 : 1;
    const bool few = workers * sides * (synchronous ? 1 : 3) <= kMostAtOnce;
    const auto memory = few ? LiveHistogram::Memory::at_once : LiveHistogram::Memory::as_needed;
    for (const Op op : {Op::read, Op::write}) {
      if (w.op != op && w.op != Op::mixed) continue;
      tally(op).lat.open(memory);
      if (!synchronous) tally(op).slat.open(memory);
      if (!synchronous) tally(op).clat.open(memory);
      if (w.rate_iops > 0) tally(op).response.open();
    }
    if (w.op != Op::read) sync.open();
  }
  [[nodiscard]] Tally& tally(Op op) noexcept { return tallies[op == Op::read ? 0 : 1]; }
  [[nodiscard]] const Tally& tally(Op op) const noexcept { return tallies[op == Op::read ? 0 : 1]; }
};

}  // namespace sthd::native
