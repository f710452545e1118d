#pragma once

#include "kit/native/loop.hpp"

namespace sthd::native {

/// The loop of one worker over a queue of some depth. Two clock reads serve a whole batch: one
/// before it is submitted, one when its completions are seen.
template <AsyncQueue Q>
class AsyncLoop : private LoopBase {
  friend class LoopBase;

 public:
  AsyncLoop(Worker& worker, Crew& crew)
      : LoopBase(worker, crew),
        slots_(worker.depth),
        free_(worker.depth),
        batch_(worker.depth),
        completed_(worker.depth) {
    for (std::uint32_t i = 0; i < worker.depth; ++i) {
      slots_[i].index = i;
      free_[i] = &slots_[i];
    }
    free_count_ = worker.depth;
  }

  void run() {
    const auto opened = queue_.open({.fd = worker_.fd,
                                     .depth = worker_.depth,
                                     .memory = worker_.buffers.memory(),
                                     .poll = crew_.workload.poll,
                                     .sqpoll = crew_.workload.sqpoll});
    if (!opened) crew_.fail(opened.error());
    if (opened) {
      for (const auto& note : queue_.notes()) crew_.note(note);
    }
    live(*this);
    if (opened) queue_.close();
  }

 private:
  /// Issues until `end_ns`, then drains: every I/O issued is completed before this returns.
  void window(std::uint64_t end_ns, bool counted) {
    now_ = now_ns();
    for (;;) {
      if (crew_.flush_every > 0 && crew_.wait_for_flush()) now_ = now_ns();
      const std::size_t in_flight = slots_.size() - free_count_;
      std::size_t filled = 0;
      if (now_ < end_ns && !stopped()) filled = fill(end_ns, counted);
      if (filled == 0 && in_flight == 0) {
        if (!paced_ || worker_.quota == 0 || now_ >= end_ns || stopped()) return;
        sleep_until(std::min(next_due(), end_ns));
        continue;
      }
      if (filled > 0 && !submit({batch_.data(), filled}, counted)) return;
      if (!reap(end_ns, counted)) return;
    }
  }

  /// Takes free slots into batch_; how many.
  std::size_t fill(std::uint64_t end_ns, bool counted) {
    const std::size_t most = std::min<std::uint64_t>(free_count_, worker_.quota);
    Random random = worker_.random;
    std::size_t filled = 0;
    for (; filled < most; ++filled) {
      Slot* slot = free_[free_count_ - 1];
      if (paced_) {
        slot->due_ns = next_due();
        if (slot->due_ns > now_ || slot->due_ns >= end_ns) break;
        due_.reset();
      }
      --free_count_;
      aim(*slot, random);
      batch_[filled] = slot;
    }
    worker_.random = random;
    if (counted && worker_.quota != UINT64_MAX) worker_.quota -= filled;
    return filled;
  }

  bool submit(std::span<Slot* const> batch, bool counted) {
    const std::uint64_t start = now_ns();
    const int rc = queue_.submit(batch);
    now_ = now_ns();
    if (rc < 0) {
      crew_.fail(system_error("submitting I/O", -rc));
      return false;
    }
    for (Slot* slot : batch) {
      slot->start_ns = start;
      slot->issued_ns = now_;
    }
    if (counted) count_submission(batch, now_ - start);
    return true;
  }

  void count_submission(std::span<Slot* const> batch, std::uint64_t took_ns) {
    worker_.submit_ns += took_ns;
    if (!mixed_) {
      worker_.tally(crew_.workload.op).slat.add(took_ns, batch.size());
      return;
    }
    for (const Slot* slot : batch) worker_.tally(slot->op).slat.add(took_ns);
  }

  /// Takes what has ended; waits for one when nothing has, but never past the next due I/O.
  bool reap(std::uint64_t end_ns, bool counted) {
    int reaped = queue_.ready(completed_);
    if (reaped == 0) {
      std::uint64_t timeout = kNoTimeout;
      if (paced_ && free_count_ > 0 && worker_.quota > 0 && now_ < end_ns) {
        const std::uint64_t until = std::min(next_due(), end_ns);
        timeout = until > now_ ? until - now_ : 0;
      }
      reaped = queue_.wait(completed_, timeout);
      now_ = now_ns();
    }
    if (reaped < 0) {
      crew_.fail(system_error("waiting for completions", -reaped));
      return false;
    }
    take(static_cast<std::size_t>(reaped), now_, counted);
    return true;
  }

  /// `seen`: the clock when the batch was reaped, before any sync that one of it set off.
  void take(std::size_t reaped, std::uint64_t seen, bool counted) {
    std::size_t writes = 0;
    Run run;
    for (std::size_t i = 0; i < reaped; ++i) {
      Slot& slot = *completed_[i].slot;
      const std::int64_t result = completed_[i].result;
      if (result == static_cast<std::int64_t>(slot.length)) [[likely]] {
        if (slot.op == Op::write) ++writes;
        if (!run.takes(slot)) {
          if (counted) record(run, seen);
          run = Run{&slot, 0};
        }
        ++run.ios;
        if (apart_ && counted) record_apart(slot, seen);
      } else if (result > 0) {
        continue_short(slot, static_cast<std::size_t>(result));
        continue;
      } else {
        fail(slot, result);
      }
      free_[free_count_++] = &slot;
    }
    if (counted) record(run, seen);
    if (syncs_ || crew_.flush_every > 0) {
      for (std::size_t i = 0; i < writes; ++i) after_write(counted);
    }
  }

  /// Completed I/Os that were submitted together, in one direction: they share their latencies.
  struct Run {
    const Slot* first = nullptr;
    std::uint64_t ios = 0;
    [[nodiscard]] bool takes(const Slot& slot) const noexcept {
      return first != nullptr && first->start_ns == slot.start_ns && first->op == slot.op;
    }
  };
  void record(const Run& run, std::uint64_t seen) {
    if (run.ios == 0) return;
    Tally& tally = worker_.tally(run.first->op);
    tally.lat.add(seen - run.first->start_ns, run.ios);
    tally.clat.add(seen - run.first->issued_ns, run.ios);
    count(tally, run.ios, seen);
  }

  void continue_short(Slot& slot, std::size_t transferred) {
    slot.offset += transferred;
    slot.data += transferred;
    slot.length -= transferred;
    Slot* one = &slot;
    const int rc = queue_.submit({&one, 1});
    if (rc < 0) {
      crew_.fail(system_error("resubmitting a short transfer", -rc));
      free_[free_count_++] = &slot;
    }
  }

  Q queue_;
  std::vector<Slot> slots_;
  std::vector<Slot*> free_;  ///< a stack of free_count_
  std::size_t free_count_ = 0;
  std::vector<Slot*> batch_;
  std::vector<Completed> completed_;
};

}  // namespace sthd::native
