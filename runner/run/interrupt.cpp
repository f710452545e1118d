#include "runner/run/interrupt.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace sthd::run {

Interrupt::Interrupt() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction current {};
    ::sigaction(signal, nullptr, &current);
    if (signal == SIGHUP && current.sa_handler == SIG_IGN) continue;
    ::sigaddset(&wanted, signal);
  }
  ::signal(SIGXFSZ, SIG_IGN);
  ::sigprocmask(SIG_BLOCK, &wanted, &before_);
  fd_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

Interrupt::~Interrupt() { release(); }

void Interrupt::release() {
  if (fd_ < 0) return;
  drain();
  ::close(fd_);
  fd_ = -1;
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupt::drain() {
  signalfd_siginfo info{};
  while (::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (signal_ == 0) signal_ = static_cast<int>(info.ssi_signo);
    ++count_;
  }
}

}  // namespace sthd::run
