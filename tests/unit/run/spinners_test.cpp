#include "runner/run/spinners.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "support/catch.hpp"

using namespace sthd::run;

namespace {

/// Until it is true; false after ten seconds, far more than it takes.
template <class F>
bool eventually(F condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    ::usleep(10'000);
  }
  return false;
}

bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }

int cpus_of(pid_t pid) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(pid, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
}

bool is_idle_class(pid_t pid) {
  return ::sched_getscheduler(pid) == SCHED_IDLE || ::getpriority(PRIO_PROCESS, pid) == 19;
}

}  // namespace

TEST_CASE("On a single CPU there are no others to keep busy", "[run][spinners]") {
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (unsigned cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  const auto checked = Spinners::check();
  REQUIRE(::sched_setaffinity(0, sizeof before, &before) == 0);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().message ==
        "only one CPU can be used here, and a spinner on it would take turns with the job; leave "
        "this condition out");
}

TEST_CASE("There is a spinner of the lowest priority on each CPU until they are stopped",
          "[run][spinners]") {
  REQUIRE(Spinners::check().ok());
  Spinners spinners;
  REQUIRE(spinners.start().ok());
  const std::vector<pid_t> pids = spinners.pids();
  REQUIRE(pids.size() == static_cast<std::size_t>(cpus_of(0)));
  for (const pid_t pid : pids) {
    CHECK(eventually([&] { return is_idle_class(pid); }));
    CHECK(cpus_of(pid) == 1);
    CHECK(::getpgid(pid) == pids.front());
  }
  CHECK(::getpgid(0) != pids.front());
  spinners.stop();
  CHECK(spinners.pids().empty());
  CHECK(std::none_of(pids.begin(), pids.end(), exists));
  spinners.stop();
}

TEST_CASE("Spinners that were started anew replace those before", "[run][spinners]") {
  Spinners spinners;
  REQUIRE(spinners.start().ok());
  const std::vector<pid_t> before = spinners.pids();
  REQUIRE(spinners.start().ok());
  CHECK(std::none_of(before.begin(), before.end(), exists));
  CHECK(std::all_of(spinners.pids().begin(), spinners.pids().end(), exists));
}

TEST_CASE("Spinners die with the process that made them, and hold nothing open",
          "[run][spinners]") {
  REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);  // or nobody might reap them here
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    Spinners spinners;
    if (!spinners.start()) ::_exit(1);
    const auto& pids = spinners.pids();
    const auto size = pids.size() * sizeof(pid_t);
    if (::write(ends[1], pids.data(), size) != static_cast<ssize_t>(size)) ::_exit(1);
    for (;;) ::pause();
  }
  std::vector<pid_t> pids(static_cast<std::size_t>(cpus_of(0)));
  const auto size = static_cast<ssize_t>(pids.size() * sizeof(pid_t));
  REQUIRE(::read(ends[0], pids.data(), static_cast<std::size_t>(size)) == size);
  ::close(ends[1]);
  CHECK(std::all_of(pids.begin(), pids.end(), exists));
  ::kill(parent, SIGKILL);
  CHECK(::waitpid(parent, nullptr, 0) == parent);
  char nothing = 0;
  CHECK(::read(ends[0], &nothing, 1) == 0);  // no spinner keeps the other end
  std::set<pid_t> left(pids.begin(), pids.end());
  CHECK(eventually([&] {
    for (pid_t pid = 0; (pid = ::waitpid(-1, nullptr, WNOHANG)) > 0;) left.erase(pid);
    return left.empty();
  }));
  ::close(ends[0]);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}
