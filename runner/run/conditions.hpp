#pragma once

#include <string>

#include "runner/run/governors.hpp"
#include "runner/run/spinners.hpp"
#include "sthd/job.hpp"
#include "sthd/outcome.hpp"

namespace sthd::run {

/// Whether `condition` can be had on this machine, by this user; nothing is changed. Error
/// {unavailable}: one sentence with the file, the errno and what to do. All files are below
/// `sysroot` ("" or "/" = the real root), and are named in messages as they are called there.
Outcome<Done> check_condition(Condition condition, const std::string& sysroot);

/// A condition of this machine that is held from take() until release() or destruction. Its owner
/// is the keeper: whichever process dies, the kernel drops what it holds open and kills its
/// spinners, and the next run finds the note about its governors. Not thread-safe.
class HeldCondition {
 public:
  HeldCondition() = default;
  ~HeldCondition() { release(); }
  HeldCondition(const HeldCondition&) = delete;
  HeldCondition& operator=(const HeldCondition&) = delete;

  /// Error{unavailable} as of check_condition(); then nothing is held.
  Outcome<Done> take(Condition condition, const std::string& sysroot);
  /// Everything is as it was before.
  void release() noexcept;
  /// In a child that was forked: closes what it has inherited, and undoes nothing.
  void forget() noexcept;

 private:
  int latency_fd_ = -1;  ///< of /dev/cpu_dma_latency: its value counts while it is open
  Spinners spinners_;
  Governors governors_;
};

}  // namespace sthd::run
