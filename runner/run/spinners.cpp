#include "runner/run/spinners.hpp"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "runner/run/clock.hpp"

namespace sthd::run {
namespace {

constexpr int kLeastNice = 19;
constexpr std::uint64_t kPatience = kSecond;

Outcome<std::vector<unsigned>> cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) {  // a machine with more than 1024 CPUs
    Error error =
        system_error("sched_getaffinity cannot tell the CPUs", errno, ErrorCode::unavailable);
    error.message += "; leave this condition out";
    return error;
  }
  std::vector<unsigned> numbers;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) numbers.push_back(cpu);
  }
  if (numbers.size() < 2) {
    return Error{
        ErrorCode::unavailable,
        "only one CPU can be used here, and a spinner on it would take turns with the job; "
        "leave this condition out",
        0};
  }
  return numbers;
}

[[noreturn]] void spin(pid_t parent, pid_t group, unsigned cpu) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::setpgid(0, group);
  ::syscall(SYS_close_range, 3U, ~0U, 0U);  // nothing is held open by it, a lock least of all
  ::prctl(PR_SET_NAME, "sthd-spinner");
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  ::sched_setaffinity(0, sizeof set, &set);
  const sched_param none{};
  if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0) {
    ::setpriority(PRIO_PROCESS, 0, kLeastNice);
  }
  for (;;) {
#if defined(__x86_64__) || defined(__i386__)
    __asm__ volatile("pause");
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#else
    __asm__ volatile("");
#endif
  }
}

}  // namespace

Outcome<Done> Spinners::check() {
  const auto known = cpus();
  if (!known) return known.error();
  return Done{};
}

Outcome<Done> Spinners::start() {
  stop();
  const auto numbers = cpus();
  if (!numbers) return numbers.error();
  const pid_t parent = ::getpid();
  for (const unsigned cpu : *numbers) {
    const pid_t group = pids_.empty() ? 0 : pids_.front();
    const pid_t pid = ::fork();
    if (pid == 0) spin(parent, group, cpu);
    const int fd = pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)) : -1;
    if (fd < 0) {
      const int code = errno;
      if (pid > 0) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
      }
      stop();
      Error error = system_error("cannot start a spinner", code, ErrorCode::unavailable);
      error.message += "; leave this condition out";
      return error;
    }
    ::setpgid(pid, group == 0 ? pid : group);
    pids_.push_back(pid);
    pidfds_.push_back(fd);
  }
  return Done{};
}

void Spinners::stop() noexcept {
  const sched_param none{};
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    ::syscall(SYS_pidfd_send_signal, pidfds_[i], SIGKILL, nullptr, 0U);
    // Dying takes CPU time, which one of the lowest priority may have to wait for.
    ::sched_setscheduler(pids_[i], SCHED_OTHER, &none);
  }
  const std::uint64_t until = monotonic_ns() + kPatience;
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    pollfd ended{pidfds_[i], POLLIN, 0};
    const std::uint64_t now = monotonic_ns();
    ::poll(&ended, 1, now < until ? static_cast<int>((until - now) / kMillisecond) : 0);
    ::waitpid(pids_[i], nullptr, WNOHANG);  // whoever waits for all may have taken it already
  }
  forget();
}

void Spinners::forget() noexcept {
  for (const int fd : pidfds_) ::close(fd);
  pidfds_.clear();
  pids_.clear();
}

}  // namespace sthd::run
