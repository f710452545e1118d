#include "kit/process/child.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include "kit/process/spawn.hpp"

namespace sthd::process {
namespace {

constexpr std::size_t kKept = 64 * kKiB;             // of standard error: at each end
constexpr std::size_t kLineLimit = 64 * kKiB;        // longer lines are passed on in pieces
constexpr int kTickMs = 50;                          // between two looks at the cancellation
constexpr int kBlindTickMs = 5;                      // the same where the kernel has no pidfd
constexpr std::uint64_t kUnkillable = 10 * kSecond;  // from SIGKILL until we give up waiting

/// The first and the last bytes of a stream of any length.
class Ends {
 public:
  void add(std::string_view piece) {
    const std::size_t room = std::min(kKept - head_.size(), piece.size());
    head_ += piece.substr(0, room);
    piece.remove_prefix(room);
    total_ += piece.size();
    tail_ += piece;
    if (tail_.size() > 2 * kKept) tail_.erase(0, tail_.size() - kKept);
  }
  [[nodiscard]] std::string text() const {
    const std::size_t kept = std::min(tail_.size(), kKept);
    if (total_ == kept) return head_ + tail_;
    return fmt::format("{}\n[{} bytes left out]\n{}", head_, total_ - kept,
                       tail_.substr(tail_.size() - kept));
  }

 private:
  std::string head_;
  std::string tail_;
  std::uint64_t total_ = 0;  // beyond the head
};

/// One child from its start to its end.
class Watch {
 public:
  Watch(const Command& command, Started started) : command_(command), child_(std::move(started)) {
    ended_.start_ns = monotonic_ns();
  }
  ~Watch() {
    if (!left_) {  // a callback threw
      send(SIGKILL);
      reap();
    }
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  Outcome<Ended> run() {
    while (ended_.end_ns == 0) {
      wait_for_something();
      check_orders();
      if (killed_ns_ != 0 && monotonic_ns() - killed_ns_ > kUnkillable) {
        left_ = true;
        return Error{ErrorCode::failed,
                     fmt::format("{} (process {}) does not end even on SIGKILL; the target "
                                 "probably stopped answering",
                                 command_.executable, child_.pid),
                     0};
      }
    }
    while (read_some(child_.output, [this](std::string_view piece) { take_output(piece); })) {
    }
    while (read_some(child_.errors, [this](std::string_view piece) { errors_.add(piece); })) {
    }
    if (!line_.empty() && command_.on_line) command_.on_line(line_);
    ended_.errors = errors_.text();
    int unread = 0;
    if (child_.unread.open() && ::ioctl(child_.unread.get(), FIONREAD, &unread) == 0) {
      ended_.fed -= static_cast<std::uint64_t>(unread);
    }
    reap();
    return std::move(ended_);
  }

 private:
  void wait_for_something() {
    std::array<pollfd, 4> fds{{{child_.output.get(), POLLIN, 0},
                               {child_.errors.get(), POLLIN, 0},
                               {child_.input.get(), POLLOUT, 0},
                               {child_.pidfd.get(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), child_.pidfd.open() ? kTickMs : kBlindTickMs) < 0) return;
    if (fds[0].revents != 0) {
      read_some(child_.output, [this](std::string_view piece) { take_output(piece); });
    }
    if (fds[1].revents != 0) {
      read_some(child_.errors, [this](std::string_view piece) { errors_.add(piece); });
    }
    if (fds[2].revents != 0) feed();
    if (fds[3].revents != 0 || !child_.pidfd.open()) look_for_end();
  }

  void look_for_end() {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child_.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == child_.pid) {
      ended_.end_ns = monotonic_ns();
    }
  }

  /// One read; false when there is nothing more for now, or for ever.
  template <class Take>
  bool read_some(Descriptor& fd, Take&& take) {
    if (!fd.open()) return false;
    std::array<char, 64 * kKiB> buffer;
    const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n > 0) take(std::string_view(buffer.data(), static_cast<std::size_t>(n)));
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) fd.reset();
    return n > 0;
  }

  void take_output(std::string_view piece) {
    const std::size_t room = command_.output_limit - ended_.output.size();
    ended_.output += piece.substr(0, room);
    ended_.output_cut = ended_.output_cut || piece.size() > room;
    if (!command_.on_line) return;
    for (const char c : piece) {
      const bool ends = c == '\n' || c == '\r';
      if (!ends) line_ += c;
      if (line_.empty() || !(ends || line_.size() >= kLineLimit)) continue;
      command_.on_line(line_);
      line_.clear();
    }
  }

  void feed() {
    if (unsent_.empty()) unsent_ = command_.feed();
    if (unsent_.empty()) {
      child_.input.reset();
      return;
    }
    const ssize_t n = ::write(child_.input.get(), unsent_.data(), unsent_.size());
    if (n > 0) {
      ended_.fed += static_cast<std::uint64_t>(n);
      unsent_ = unsent_.subspan(static_cast<std::size_t>(n));
    } else if (errno != EAGAIN && errno != EINTR) {
      child_.input.reset();
    }
  }

  void check_orders() {
    const std::uint64_t now = monotonic_ns();
    if (stopped_ns_ == 0) {
      ended_.cancelled = command_.cancelled && command_.cancelled();
      ended_.late = command_.deadline_ns != 0 && now - ended_.start_ns > command_.deadline_ns;
      if (!ended_.cancelled && !ended_.late) return;
      stopped_ns_ = now;
      send(command_.stop_signal);
    } else if (killed_ns_ == 0 && now - stopped_ns_ > command_.grace_ns) {
      killed_ns_ = now;
      send(SIGKILL);
    }
  }

  /// Never after the child was waited for, so its number cannot belong to another process.
  void send(int signal) const {
    if (command_.own_group) {
      ::kill(-child_.pid, signal);
      return;
    }
#ifdef SYS_pidfd_send_signal
    if (child_.pidfd.open() &&
        ::syscall(SYS_pidfd_send_signal, child_.pidfd.get(), signal, nullptr, 0U) == 0) {
      return;
    }
#endif
    ::kill(child_.pid, signal);
  }

  void reap() {
    left_ = true;
    int status = 0;
    rusage usage{};
    while (::wait4(child_.pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    ended_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ended_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    const auto ns = [](const timeval& time) {
      return static_cast<std::uint64_t>(time.tv_sec) * kSecond +
             static_cast<std::uint64_t>(time.tv_usec) * kMicrosecond;
    };
    ended_.cpu = {ns(usage.ru_utime), ns(usage.ru_stime),
                  static_cast<std::uint64_t>(usage.ru_nvcsw),
                  static_cast<std::uint64_t>(usage.ru_nivcsw)};
  }

  const Command& command_;
  Started child_;
  Ended ended_;
  Ends errors_;
  std::string line_;
  std::span<const std::byte> unsent_;
  std::uint64_t stopped_ns_ = 0;
  std::uint64_t killed_ns_ = 0;
  bool left_ = false;  // waited for, or given up
};

}  // namespace

std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

Outcome<Ended> run(const Command& command) {
  if (command.executable.empty() || command.executable.front() != '/') {
    return Error{ErrorCode::internal,
                 fmt::format("\"{}\" is no absolute path of a program", command.executable), 0};
  }
  try {
    auto started = spawn(command);
    if (!started) return started.error();
    return Watch(command, std::move(started).value()).run();
  } catch (const std::system_error& e) {
    return system_error("a pipe for " + command.executable, e.code().value());
  }
}

std::string describe_end(const Ended& ended) {
  if (ended.late) return "did not end in time and was stopped";
  if (ended.signal != 0) {
    const char* name = ::sigabbrev_np(ended.signal);
    return name != nullptr ? fmt::format("was ended by signal SIG{}", name)
                           : fmt::format("was ended by signal {}", ended.signal);
  }
  return fmt::format("exited with status {}", ended.status);
}

}  // namespace sthd::process
