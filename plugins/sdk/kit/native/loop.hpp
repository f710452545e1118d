#pragma once

#include <cstdint>
#include <optional>

#include "kit/native/clock.hpp"
#include "kit/native/crew.hpp"
#include "kit/native/queue.hpp"

namespace sthd::native {

/// What the loops over both kinds of queue share.
class LoopBase {
 protected:
  LoopBase(Worker& worker, Crew& crew)
      : worker_(worker),
        crew_(crew),
        block_(static_cast<std::size_t>(crew.workload.block_size)),
        mixed_(crew.workload.op == Op::mixed),
        paced_(crew.workload.rate_iops > 0),
        apart_(paced_ || crew.logging),
        syncs_(crew.workload.sync == SyncMode::fsync || crew.workload.sync == SyncMode::fdatasync) {
  }

  /// The worker's whole life; `Derived` has window(end_ns, counted): issues until then and drains.
  template <class Derived>
  void live(Derived& derived) {
    crew_.ready.arrive();
    if (crew_.workload.ramp_ns > 0) {
      derived.window(crew_.ramp_start_ns + crew_.workload.ramp_ns, false);
    }
    due_.reset();
    crew_.go.arrive();
    worker_.last_ns = crew_.start_ns;
    const std::uint64_t runtime = crew_.workload.runtime_ns;
    derived.window(runtime > 0 ? crew_.start_ns + runtime : UINT64_MAX, true);
    tell_written(0);
    crew_.drained();
    crew_.close.wait();
  }

  [[nodiscard]] bool stopped() const noexcept { return crew_.stop.load(std::memory_order_relaxed); }

  /// Where the next I/O goes, and what it carries. `random`: a local copy of the worker's, so that
  /// it stays in registers.
  void aim(Slot& slot, Random& random) noexcept {
    slot.op = crew_.workload.op;
    if (mixed_) {
      slot.op = random.chance(crew_.workload.read_percent) ? Op::read : Op::write;
    }
    slot.first_offset = slot.offset = worker_.offsets.next(random);
    slot.data = worker_.buffers.block(slot.index);
    slot.length = block_;
    if (slot.op == Op::write) worker_.buffers.stamp(slot.index);
  }

  /// Clock of the next I/O that this worker will start, under a rate.
  std::uint64_t next_due() noexcept {
    if (!due_) due_ = crew_.schedule.take();
    return *due_;
  }
  /// Sleeps until `ns`, or until the crew is stopped.
  void sleep_until(std::uint64_t ns) noexcept {
    constexpr std::uint64_t kNap = 50 * kMillisecond;  // to see a stop
    for (now_ = now_ns(); now_ < ns && !stopped(); now_ = now_ns()) {
      const std::uint64_t nap = std::min(ns, now_ + kNap);
      const timespec until{static_cast<time_t>(nap / kSecond), static_cast<long>(nap % kSecond)};
      ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    }
  }

  /// Completed I/Os of the window, seen at `seen`.
  void count(Tally& tally, std::uint64_t ios, std::uint64_t seen) noexcept {
    tally.count(ios);
    if (worker_.first_ns == 0) worker_.first_ns = seen;
    worker_.last_ns = std::max(worker_.last_ns, seen);
  }
  /// What only some jobs keep of each I/O.
  void record_apart(const Slot& slot, std::uint64_t seen) {
    if (paced_) worker_.tally(slot.op).response.add(seen - slot.due_ns);
    if (crew_.logging) {
      worker_.log.push_back({slot.op, slot.first_offset, seen - slot.start_ns});
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

  /// What follows a completed write.
  void after_write(bool counted) {
    if (syncs_) {
      sync(crew_.workload.sync == SyncMode::fsync, counted);
    } else if (crew_.flush_every > 0) {
      worker_.untold += block_;
      if (worker_.untold >= crew_.tell_every && tell_written(crew_.flush_every)) {
        crew_.flushing.store(true, std::memory_order_relaxed);
        const std::lock_guard lock(crew_.flush);
        sync(false, counted);
        crew_.flushing.store(false, std::memory_order_relaxed);
      }
    }
  }

  Worker& worker_;
  Crew& crew_;
  std::size_t block_;
  bool mixed_;
  bool paced_;
  bool apart_;  ///< each I/O is kept by itself
  bool syncs_;
  std::uint64_t now_ = 0;
  std::optional<std::uint64_t> due_;

 private:
  /// True when the sum passed a multiple of `every`.
  bool tell_written(std::uint64_t every) {
    const std::uint64_t mine = std::exchange(worker_.untold, 0);
    if (mine == 0) return false;
    const std::uint64_t before = crew_.written.fetch_add(mine, std::memory_order_relaxed);
    return every > 0 && (before + mine) / every != before / every;
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
};

}  // namespace sthd::native
