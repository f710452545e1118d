#pragma once

#include <sys/types.h>

#include <vector>

#include "sthd/outcome.hpp"

namespace sthd::run {

/// A process on each CPU that this one may use, which does nothing but keep it from idling: of the
/// lowest priority (SCHED_IDLE, or nice 19 where that is refused), so that it gives way to
/// everything, and in a process group of their own. They die with the process that made them,
/// however it ends.
class Spinners {
 public:
  Spinners() = default;
  ~Spinners() { stop(); }
  Spinners(const Spinners&) = delete;
  Spinners& operator=(const Spinners&) = delete;

  /// Whether the CPUs are known. Error{unavailable}.
  static Outcome<Done> check();

  /// On an Error{unavailable} there are none.
  Outcome<Done> start();
  /// They are gone when it returns; waits for at most a second.
  void stop() noexcept;
  /// In a child that was forked: they are another's.
  void forget() noexcept;

  [[nodiscard]] const std::vector<pid_t>& pids() const { return pids_; }

 private:
  std::vector<pid_t> pids_;
  std::vector<int> pidfds_;
};

}  // namespace sthd::run
