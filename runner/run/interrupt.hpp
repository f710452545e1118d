#pragma once

#include <signal.h>

namespace sthd::run {

/// The signals that end a run (INT, TERM, HUP, QUIT), taken from a signalfd in the runner's poll
/// loop. HUP is left alone when it was ignored at the start (nohup). PIPE and XFSZ are ignored: a
/// failed write says so itself.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  /// From here on signals do what they did before: nothing is left on the target.
  void release();
  /// Takes what has arrived.
  void drain();
  [[nodiscard]] bool raised() const { return count_ > 0; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] int signal() const { return signal_; }  ///< the first; 0 = none

 private:
  int fd_ = -1;
  sigset_t before_{};
  int count_ = 0;
  int signal_ = 0;
};

}  // namespace sthd::run
