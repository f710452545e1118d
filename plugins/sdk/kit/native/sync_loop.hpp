#pragma once

#include "kit/native/loop.hpp"

namespace sthd::native {

/// The loop of one worker over a synchronous queue: one I/O in flight.
template <SyncQueue Q>
class SyncLoop : private LoopBase {
  friend class LoopBase;

 public:
  SyncLoop(Worker& worker, Crew& crew) : LoopBase(worker, crew) {}

  void run() {
    const auto opened =
        queue_.open({.fd = worker_.fd, .depth = 1, .memory = worker_.buffers.memory()});
    if (!opened) crew_.fail(opened.error());
    live(*this);
    if (opened) queue_.close();
  }

 private:
  void window(std::uint64_t end_ns, bool counted) {
    now_ = now_ns();
    Slot slot;
    while (worker_.quota > 0 && now_ < end_ns && !stopped()) {
      if (crew_.flush_every > 0 && crew_.wait_for_flush()) now_ = now_ns();
      if (paced_ && !wait_until_due(slot, end_ns)) return;
      aim(slot, worker_.random);
      slot.start_ns = start_of(slot);
      if (!transfer(slot)) return;
      if (counted) {
        if (worker_.quota != UINT64_MAX) --worker_.quota;
        Tally& tally = worker_.tally(slot.op);
        tally.lat.add(now_ - slot.start_ns);
        count(tally, 1, now_);
        if (apart_) record_apart(slot, now_);
      }
      if (slot.op == Op::write) after_write(counted);
    }
  }

  /// False at the end of the window.
  bool wait_until_due(Slot& slot, std::uint64_t end_ns) {
    slot.due_ns = next_due();
    sleep_until(std::min(slot.due_ns, end_ns));
    if (slot.due_ns >= end_ns || now_ >= end_ns || stopped()) return false;
    due_.reset();
    return true;
  }

  /// The last completion is the start of the next I/O, unless stamping a large block came between.
  [[nodiscard]] std::uint64_t start_of(const Slot& slot) const noexcept {
    constexpr std::size_t kCheapToStamp = 64 * kKiB;
    return slot.op == Op::write && block_ > kCheapToStamp ? now_ns() : now_;
  }

  /// The whole of it, however many calls that takes.
  bool transfer(Slot& slot) {
    for (;;) {
      const std::int64_t n = queue_.transfer(slot.op, slot.data, slot.length, slot.offset);
      now_ = now_ns();
      if (n == static_cast<std::int64_t>(slot.length)) return true;
      if (n <= 0) {
        fail(slot, n);
        return false;
      }
      slot.offset += static_cast<std::uint64_t>(n);
      slot.data += n;
      slot.length -= static_cast<std::size_t>(n);
    }
  }

  Q queue_;
};

}  // namespace sthd::native
