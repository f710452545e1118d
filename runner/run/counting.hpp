#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "runner/host/counters.hpp"
#include "sthd/backend.hpp"

namespace sthd::run {

/// The counters of one loop, read by the job itself: when its backend says that the window begins,
/// and when it closes.
class Counting {
 public:
  /// `keeps_watch`: the backend asks at least every 100 ms whether it is cancelled, whatever the
  /// target does, so that a longer silence means that the job did not run.
  Counting(const host::Counters& counters, bool keeps_watch) noexcept
      : counters_(counters), keeps_watch_(keeps_watch) {}

  /// From the thread that called Backend::run. Times are CLOCK_MONOTONIC, ns.
  void phase(Phase phase, std::uint64_t now_ns) noexcept;
  /// A sign of life, from any thread.
  void tick(std::uint64_t now_ns) noexcept;
  /// Differences over the window; empty when the backend never said that it began.
  Facts facts();

 private:
  const host::Counters& counters_;
  bool keeps_watch_;
  std::optional<host::Snapshot> begin_;
  std::optional<host::Snapshot> end_;
  std::atomic<bool> watching_{false};
  std::atomic<std::uint64_t> ticked_ns_{0};
  std::atomic<std::uint64_t> silence_ns_{0};  ///< the longest
};

}  // namespace sthd::run
