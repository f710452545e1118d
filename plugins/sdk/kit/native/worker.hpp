#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "kit/native/buffers.hpp"
#include "kit/native/clock.hpp"
#include "kit/native/gate.hpp"
#include "kit/native/offsets.hpp"
#include "kit/native/queue.hpp"
#include "sthd/backend.hpp"
#include "sthd/histogram.hpp"

namespace sthd::native {

/// What the workers of one loop share.
struct Crew {
  const Workload& workload;
  int fd = -1;
  bool logging = false;
  /// Buffered writes without sync: fdatasync each time this many bytes were written over all
  /// threads, since a small file rewritten in RAM would report the RAM. 0 = never.
  std::uint64_t flush_every = 0;
  Gate ready;  ///< all queues are open
  Gate go;     ///< all ramps are drained; its action reads the start clock
  Gate close;  ///< opened when the end of the window has been measured: closing a queue takes time
  std::function<void()> drained;  ///< called by each worker whose window has ended
  std::atomic<bool> stop{false};
  std::atomic<Phase> phase{Phase::prepare};
  std::atomic<std::uint64_t> written{0};
  std::atomic<bool> flushing{false};
  std::mutex flush;  ///< held during such a flush: who wrote on meanwhile would write into RAM
  std::uint64_t ramp_start_ns = 0;
  std::uint64_t start_ns = 0;
  std::mutex mutex;
  std::optional<Error> error;  ///< the first one

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
};

struct LogEntry {
  Op op;
  std::uint64_t offset;
  std::uint64_t latency_ns;
};

/// One thread that issues I/O. `thread` is the workload's thread it serves: with a synchronous
/// queue several workers serve one.
struct alignas(64) Worker {
  std::uint32_t thread = 0;
  std::uint32_t depth = 1;
  std::uint64_t quota = UINT64_MAX;  ///< I/Os left under the job's limit
  Offsets offsets;
  Buffers buffers;
  LatencyHistogram lat, slat, clat, sync;
  std::uint64_t ios = 0;
  std::uint64_t bytes = 0;
  std::uint64_t last_ns = 0;  ///< clock of the last completion
  std::vector<LogEntry> log;
  alignas(64) std::atomic<std::uint64_t> shown_ios{0};  ///< for the progress line
  std::atomic<std::uint64_t> shown_bytes{0};

  Worker(std::uint32_t thread_index, std::uint32_t queue_depth, Offsets where, Buffers data)
      : thread(thread_index),
        depth(queue_depth),
        offsets(std::move(where)),
        buffers(std::move(data)) {}
};

/// The loop of one worker over one queue type.
template <Queue Q>
class Loop {
 public:
  Loop(Worker& worker, Crew& crew)
      : worker_(worker), crew_(crew), slots_(worker.depth), completed_(worker.depth) {
    for (std::uint32_t i = 0; i < worker.depth; ++i) {
      slots_[i].index = i;
      slots_[i].op = crew.workload.op;
      free_.push_back(&slots_[i]);
    }
    batch_.reserve(worker.depth);
  }

  void run() {
    const auto opened = queue_.open({crew_.fd, worker_.depth});
    if (!opened) crew_.fail(opened.error());
    crew_.ready.arrive();
    if (crew_.workload.ramp_ns > 0) {
      window(crew_.ramp_start_ns + crew_.workload.ramp_ns, false);
    }
    crew_.go.arrive();
    worker_.last_ns = crew_.start_ns;
    const std::uint64_t runtime = crew_.workload.runtime_ns;
    window(runtime > 0 ? crew_.start_ns + runtime : UINT64_MAX, true);
    crew_.drained();
    crew_.close.wait();
    if (opened) queue_.close();
  }

 private:
  /// Issues until `end_ns`, then drains: every I/O issued is completed before this returns.
  void window(std::uint64_t end_ns, bool counted) {
    now_ = now_ns();
    for (;;) {
      batch_.clear();
      if (crew_.flush_every > 0 && crew_.wait_for_flush()) now_ = now_ns();
      if (now_ < end_ns && !crew_.stop.load(std::memory_order_relaxed)) fill(counted);
      if (!batch_.empty()) {
        if (!submit(counted)) return;
      } else if (free_.size() == slots_.size()) {
        return;
      }
      const int reaped = queue_.reap(1, completed_);
      if (reaped < 0) {
        crew_.fail(system_error("waiting for completions", -reaped));
        return;
      }
      if constexpr (!Q::kSynchronous) now_ = now_ns();
      const std::uint64_t seen = now_;
      for (int i = 0; i < reaped; ++i)
        complete(completed_[static_cast<std::size_t>(i)], seen, counted);
    }
  }

  void fill(bool counted) {
    const auto block = static_cast<std::size_t>(crew_.workload.block_size);
    while (!free_.empty() && worker_.quota > 0) {
      Slot* slot = free_.back();
      free_.pop_back();
      if (counted && worker_.quota != UINT64_MAX) --worker_.quota;
      slot->first_offset = slot->offset = worker_.offsets.next();
      slot->data = worker_.buffers.block(slot->index);
      slot->length = block;
      if (slot->op == Op::write) worker_.buffers.stamp(slot->index);
      batch_.push_back(slot);
    }
  }

  bool submit(bool counted) {
    // A synchronous worker takes its last completion as the start of the next I/O, unless stamping
    // a large block came between.
    constexpr std::size_t kCheapToStamp = 64 * kKiB;
    std::uint64_t start = now_;
    if (!Q::kSynchronous || (crew_.workload.op == Op::write && batch_[0]->length > kCheapToStamp)) {
      start = now_ns();
    }
    for (Slot* slot : batch_) slot->start_ns = start;
    const int rc = queue_.submit(batch_);
    now_ = now_ns();
    if (rc < 0) {
      crew_.fail(system_error("submitting I/O", -rc));
      return false;
    }
    if constexpr (!Q::kSynchronous) {
      for (Slot* slot : batch_) {
        slot->issued_ns = now_;
        if (counted) worker_.slat.add(now_ - start);
      }
    }
    return true;
  }

  void complete(const Completed& done, std::uint64_t seen, bool counted) {
    Slot* slot = done.slot;
    if (done.result <= 0) {
      fail(*slot, done.result);
    } else if (static_cast<std::size_t>(done.result) < slot->length) {
      continue_short(*slot, static_cast<std::size_t>(done.result));
      return;
    } else {
      if (counted) record(*slot, seen);
      if (slot->op == Op::write) after_write(counted);
    }
    free_.push_back(slot);
  }

  /// `seen`: the clock when the batch was reaped, before any sync that one of it set off.
  void record(const Slot& slot, std::uint64_t seen) {
    const std::uint64_t latency = seen - slot.start_ns;
    worker_.lat.add(latency);
    if constexpr (!Q::kSynchronous) worker_.clat.add(seen - slot.issued_ns);
    ++worker_.ios;
    worker_.bytes += crew_.workload.block_size;
    worker_.last_ns = std::max(worker_.last_ns, seen);
    worker_.shown_ios.store(worker_.ios, std::memory_order_relaxed);
    worker_.shown_bytes.store(worker_.bytes, std::memory_order_relaxed);
    if (crew_.logging) worker_.log.push_back({slot.op, slot.first_offset, latency});
  }

  void continue_short(Slot& slot, std::size_t transferred) {
    slot.offset += transferred;
    slot.data += transferred;
    slot.length -= transferred;
    Slot* one = &slot;
    const int rc = queue_.submit({&one, 1});
    now_ = now_ns();
    if (rc < 0) {
      crew_.fail(system_error("resubmitting a short transfer", -rc));
      free_.push_back(&slot);
    }
  }

  void fail(const Slot& slot, std::int64_t result) {
    const std::string what = std::string(to_text(slot.op)) + " of " + std::to_string(slot.length) +
                             " bytes at offset " + std::to_string(slot.offset);
    if (result == 0) {
      crew_.fail({ErrorCode::failed, what + ": the file ended there (short transfer)", 0});
    } else {
      crew_.fail(system_error(what, static_cast<int>(-result)));
    }
  }

  void after_write(bool counted) {
    const SyncMode mode = crew_.workload.sync;
    if (mode == SyncMode::fsync || mode == SyncMode::fdatasync) {
      sync(mode == SyncMode::fsync, counted);
    } else if (crew_.flush_every > 0) {
      const std::uint64_t block = crew_.workload.block_size;
      const std::uint64_t before = crew_.written.fetch_add(block, std::memory_order_relaxed);
      if ((before + block) / crew_.flush_every != before / crew_.flush_every) {
        crew_.flushing.store(true, std::memory_order_relaxed);
        const std::lock_guard lock(crew_.flush);
        sync(false, counted);
        crew_.flushing.store(false, std::memory_order_relaxed);
      }
    }
  }

  /// A failed sync is final: the kernel may report it once only, so it is never tried again.
  void sync(bool whole, bool counted) {
    const std::uint64_t start = now_ns();
    const int rc = whole ? ::fsync(crew_.fd) : ::fdatasync(crew_.fd);
    const int code = errno;
    now_ = now_ns();
    if (rc != 0) {
      crew_.fail(system_error(whole ? "fsync" : "fdatasync", code));
    } else if (counted) {
      worker_.sync.add(now_ - start);
      worker_.last_ns = now_;
    }
  }

  Worker& worker_;
  Crew& crew_;
  Q queue_;
  std::vector<Slot> slots_;
  std::vector<Slot*> free_;
  std::vector<Slot*> batch_;
  std::vector<Completed> completed_;
  std::uint64_t now_ = 0;
};

}  // namespace sthd::native
