#include "kit/process/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace sthd::process {
namespace {

constexpr std::size_t kFeedPipeBytes = 1 << 20;

struct Pipe {
  Descriptor reading;
  Descriptor writing;
};

/// `fd` moved above the three standard ones, so that the child can dup2 onto those blindly.
Descriptor above_standard(int fd) {
  if (fd < 0 || fd > 2) return Descriptor(fd);
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  ::close(fd);
  return Descriptor(moved);
}

Pipe make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe2");
  }
  return {above_standard(ends[0]), above_standard(ends[1])};
}

void set_nonblocking(const Descriptor& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

/// All that the child needs, made before fork: after it only async-signal-safe calls are allowed.
struct Recipe {
  std::string executable;
  std::string directory;
  std::vector<std::string> texts;  // owns what argv and envp point at
  std::vector<char*> argv;
  std::vector<char*> envp;
  bool own_group = false;
  pid_t parent = -1;
  std::array<int, 3> standard{};
  int report = -1;
};

Recipe make_recipe(const Command& command) {
  Recipe recipe;
  recipe.executable = command.executable;
  recipe.directory = command.scratch.empty() ? "/" : command.scratch;
  recipe.own_group = command.own_group;
  recipe.parent = ::getpid();
  const auto slash = command.executable.rfind('/');
  recipe.texts.push_back(command.name.empty() ? command.executable.substr(slash + 1)
                                              : command.name);
  for (const auto& argument : command.arguments) recipe.texts.push_back(argument);
  const std::size_t arguments = recipe.texts.size();
  recipe.texts.insert(recipe.texts.end(),
                      {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                       "LC_ALL=C", "LANG=C", "HOME=" + recipe.directory});
  if (!command.scratch.empty()) recipe.texts.push_back("TMPDIR=" + command.scratch);
  for (std::size_t i = 0; i < recipe.texts.size(); ++i) {
    (i < arguments ? recipe.argv : recipe.envp).push_back(recipe.texts[i].data());
  }
  recipe.argv.push_back(nullptr);
  recipe.envp.push_back(nullptr);
  return recipe;
}

void close_on_exec_from_3() {
#ifdef SYS_close_range
  constexpr unsigned kCloexec = 1U << 2;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
  if (::syscall(SYS_close_range, 3U, ~0U, kCloexec) == 0) return;
#endif
  rlimit limit{};
  constexpr rlim_t kMost = 65536;
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto end = static_cast<int>(limit.rlim_cur < kMost ? limit.rlim_cur : kMost);
  for (int fd = 3; fd < end; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

[[noreturn]] void become(const Recipe& recipe) {
  const auto give_up = [&recipe](int code) {
    [[maybe_unused]] const auto n = ::write(recipe.report, &code, sizeof code);
    ::_exit(127);
  };
  if (recipe.own_group) ::setpgid(0, 0);
  // The parent may have died before the prctl, and then no signal would ever come.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(errno);
  if (::getppid() != recipe.parent) ::_exit(127);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int fd = 0; fd < 3; ++fd) {
    if (::dup2(recipe.standard[static_cast<std::size_t>(fd)], fd) < 0) give_up(errno);
  }
  close_on_exec_from_3();
  if (::chdir(recipe.directory.c_str()) != 0) give_up(errno);
  ::execve(recipe.executable.c_str(), recipe.argv.data(), recipe.envp.data());
  give_up(errno);
  ::_exit(127);
}

/// fork with every signal blocked: no handler of ours may run in the child.
pid_t fork_child(const Recipe& recipe) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) become(recipe);
  const int code = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = code;
  return pid;
}

/// 0 once the program is loaded, or the errno that kept it from it.
int await_exec(const Descriptor& report) {
  int code = 0;
  ssize_t n = 0;
  do {
    n = ::read(report.get(), &code, sizeof code);
  } while (n < 0 && errno == EINTR);
  return n == sizeof code ? code : 0;
}

}  // namespace

Outcome<Started> spawn(const Command& command) {
  Recipe recipe = make_recipe(command);
  Pipe output = make_pipe();
  Pipe errors = make_pipe();
  Pipe report = make_pipe();
  Pipe input;
  if (command.feed) {
    input = make_pipe();
    ::fcntl(input.writing.get(), F_SETPIPE_SZ, kFeedPipeBytes);  // fewer wake-ups; may be refused
  } else {
    input.reading = above_standard(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  recipe.standard = {input.reading.get(), output.writing.get(), errors.writing.get()};
  recipe.report = report.writing.get();

  Started started;
  started.pid = fork_child(recipe);
  if (started.pid < 0) {
    return system_error(fmt::format("fork for {}", command.executable), errno);
  }
  output.writing.reset();
  errors.writing.reset();
  report.writing.reset();
  if (const int code = await_exec(report.reading); code != 0) {
    ::waitpid(started.pid, nullptr, 0);
    return system_error(fmt::format("{} could not be started", command.executable), code,
                        ErrorCode::unavailable);
  }
  started.input = std::move(input.writing);
  if (command.feed) started.unread = std::move(input.reading);
  started.output = std::move(output.reading);
  started.errors = std::move(errors.reading);
  if (started.input.open()) set_nonblocking(started.input);
  set_nonblocking(started.output);
  set_nonblocking(started.errors);
#ifdef SYS_pidfd_open
  started.pidfd = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, started.pid, 0U)));
#endif
  return started;
}

}  // namespace sthd::process
