#include "runner/run/keeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "runner/record/lines.hpp"
#include "runner/run/clock.hpp"
#include "runner/run/conditions.hpp"
#include "runner/run/job.hpp"
#include "runner/run/message.hpp"
#include "runner/run/scratch.hpp"
#include "runner/run/tasks.hpp"

namespace sthd::run {
namespace {

constexpr std::uint64_t kPatienceWithKilled = 3 * kSecond;
constexpr std::uint64_t kPatienceWithRemoval = 20 * kSecond;
constexpr std::uint64_t kPatienceWithOrphans = kSecond;

struct Child {
  pid_t pid = -1;
  int control = -1;
  Ask ask = Ask::inspect;
  std::uint64_t number = 0;     ///< of the request
  std::uint64_t killed_at = 0;  ///< 0 = not
};

class Keeper {
 public:
  Keeper(const Inherited& inherited, int socket) : inherited_(inherited), socket_(socket) {
    held_.scratch = inherited.scratch;
  }

  void serve() {
    block_signals();
    for (;;) {
      std::array<pollfd, 3> polled{
          {{socket_, POLLIN, 0}, {signals_, POLLIN, 0}, {child_.control, POLLIN, 0}}};
      ::poll(polled.data(), polled.size(), child_.killed_at > 0 ? 100 : -1);
      if (polled[2].revents != 0) hear_child();
      if (polled[1].revents != 0) reap();
      if (polled[0].revents != 0 && !hear_runner()) break;
      if (child_.killed_at > 0 && monotonic_ns() > child_.killed_at + kPatienceWithKilled)
        give_up();
    }
    shut_down();
  }

 private:
  /// Everything is blocked: only the runner's going ends the keeper.
  void block_signals() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    signals_ = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  bool hear_runner() {
    auto received = receive_message(socket_);
    if (!received) return false;
    const auto request = unpack_request(received->text);
    if (!request) return false;
    if (request->ask == Ask::cancel || request->ask == Ask::kill) {
      if (child_.pid > 0) end_child(request->ask == Ask::kill);
    } else {
      start(*request, received->fd);
    }
    if (received->fd >= 0) ::close(received->fd);
    return true;
  }

  void end_child(bool by_force) {
    if (by_force) {
      ::kill(-child_.pid, SIGKILL);
      child_.killed_at = monotonic_ns();
    } else {
      ::kill(child_.pid, SIGTERM);  // the job ends its own children
    }
  }

  void start(const Request& request, int out) {
    let_go();
    if (request.ask == Ask::create) choose_name();
    if (request.ask == Ask::job) {
      const Condition wanted = inherited_.jobs.at(request.job).workload.condition;
      if (const auto taken = condition_.take(wanted, inherited_.sysroot); !taken) {
        return answer_for_child(request, taken.error(), out);
      }
    }
    std::array<int, 2> control{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control.data()) != 0) {
      return answer_for_child(request, system_error("socketpair", errno), out);
    }
    const pid_t keeper = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != keeper) ::_exit(1);
      ::setpgid(0, 0);
      ::close(socket_);
      ::close(signals_);
      ::close(control[0]);
      condition_.forget();
      const bool needs_directory = request.ask != Ask::job && request.ask != Ask::layout;
      if (!needs_directory && held_.directory >= 0) ::close(held_.directory);  // and its lock
      ::_exit(run_task({inherited_, held_, request, out, control[1]}));
    }
    const int code = errno;
    ::close(control[1]);
    if (pid < 0) {
      ::close(control[0]);
      return answer_for_child(request, system_error("fork", code), out);
    }
    ::setpgid(pid, pid);
    child_ = {pid, control[0], request.ask, request.number, 0};
  }

  /// There is none: what it would have been asked for ends with this error.
  void answer_for_child(const Request& request, const Error& error, int out) {
    condition_.release();
    send_line(out, record::encode(record::ErrorLine{error}));
    send_message(socket_, pack(ChildEnd{request.number, true, 1, false}));
  }

  /// The runner asks for the next thing, so it has the answer of this child, whose end nobody waits
  /// for any more.
  void let_go() {
    if (child_.pid <= 0) return;
    if (child_.control >= 0) ::close(child_.control);
    leaving_.push_back(child_.pid);
    child_ = {};
  }

  void choose_name() {
    std::uint32_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random) {
      random = static_cast<std::uint32_t>(monotonic_ns());
    }
    held_.name = fmt::format("speedtest-hd-{:08x}.bench", random);
  }

  void hear_child() {
    auto received = receive_message(child_.control);
    if (!received) {
      ::close(child_.control);
      child_.control = -1;
      return;
    }
    take_control_message(received->text, received->fd, held_);
  }

  void reap() {
    signalfd_siginfo info{};
    while (::read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    }
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (pid == child_.pid) finish(status);
      if (std::erase(leaving_, pid) > 0) ::kill(-pid, SIGKILL);  // its group, as finish() does
    }
  }

  void finish(int status) {
    ::kill(-child_.pid, SIGKILL);  // whatever the job may have left in its group, and in hand
    condition_.release();
    for (pollfd one{child_.control, POLLIN, 0}; child_.control >= 0 && ::poll(&one, 1, 100) > 0;)
      hear_child();
    if (child_.control >= 0) ::close(child_.control);
    child_.control = -1;
    child_.pid = -1;
    child_.killed_at = 0;
    const bool exited = WIFEXITED(status);
    const bool removed = child_.ask == Ask::remove && exited && WEXITSTATUS(status) == 0;
    if (removed && held_.file >= 0) {
      ::close(held_.file);
      held_.file = -1;
    }
    send_message(socket_, pack(ChildEnd{child_.number, exited,
                                        exited ? WEXITSTATUS(status) : WTERMSIG(status), false}));
  }

  /// A child in uninterruptible sleep: no signal reaches it.
  void give_up() {
    if (child_.control >= 0) ::close(child_.control);
    const std::uint64_t number = child_.number;
    child_ = {};
    condition_.release();
    send_message(socket_, pack(ChildEnd{number, false, SIGKILL, true}));
  }

  void shut_down() {
    for (const pid_t pid : leaving_) ::kill(-pid, SIGKILL);
    if (child_.pid > 0) {
      if (child_.ask != Ask::create && child_.ask != Ask::remove) ::kill(-child_.pid, SIGKILL);
      condition_.release();
      wait_for_child(kPatienceWithKilled);
    }
    if (held_.file >= 0) {
      const pid_t pid = ::fork();
      if (pid == 0) ::_exit(remove_test_file(held_) ? 0 : 1);
      child_ = {.pid = pid, .ask = Ask::remove};
      wait_for_child(kPatienceWithRemoval);
    }
    wait_for_orphans();
    remove_scratch(held_.scratch);
  }

  /// Programs of a job that was killed die after it, and may write into their folder until then.
  static void wait_for_orphans() {
    const std::uint64_t until = monotonic_ns() + kPatienceWithOrphans;
    for (pid_t pid = 0; (pid = ::waitpid(-1, nullptr, WNOHANG)) >= 0;) {
      if (pid == 0 && monotonic_ns() > until) return;
      if (pid == 0) ::poll(nullptr, 0, 10);
    }
  }

  void wait_for_child(std::uint64_t patience) {
    const std::uint64_t until = monotonic_ns() + patience;
    while (child_.pid > 0 && monotonic_ns() < until) {
      std::array<pollfd, 2> polled{{{signals_, POLLIN, 0}, {child_.control, POLLIN, 0}}};
      ::poll(polled.data(), polled.size(), 50);
      if (polled[1].revents != 0) hear_child();
      reap();
    }
  }

  const Inherited& inherited_;
  int socket_;
  int signals_ = -1;
  Child child_;
  std::vector<pid_t> leaving_;  ///< have answered, and have not ended yet
  Holdings held_;
  HeldCondition condition_;  ///< of the job that runs
};

}  // namespace

Outcome<KeeperHandle> fork_keeper(const Inherited& inherited) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return system_error("socketpair", errno);
  }
  const pid_t pid = ::fork();
  if (pid < 0) {
    const int code = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    return system_error("fork", code);
  }
  if (pid > 0) {
    ::close(ends[1]);
    return KeeperHandle{pid, ends[0]};
  }
  ::close(ends[0]);
  ::setsid();
  ::prctl(PR_SET_NAME, "sthd-keeper");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC); null >= 0) {
    ::dup2(null, 0);
    ::dup2(null, 1);
    ::close(null);
  }
  Keeper(inherited, ends[1]).serve();
  ::_exit(0);
}

}  // namespace sthd::run
