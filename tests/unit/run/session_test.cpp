#include "runner/run/session.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "runner/run/clock.hpp"
#include "support/catch.hpp"
#include "support/fake_context.hpp"

using namespace sthd;
using namespace sthd::run;

namespace {

/// A keeper without plugins, and its session.
struct Running {
  std::vector<Job> jobs{Job{"row", "row", "row", "", {}}};
  host::PluginHost plugins{std::vector<host::PluginFolder>{}};
  Inherited inherited{jobs, plugins, "unit-test", -1, {}};
  Interrupt interrupt;
  KeeperHandle keeper = *fork_keeper(inherited);
  Session session{keeper, interrupt};
};

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("Each answer is of its own request, though a probe's process may still be ending",
          "[run][session]") {
  const test::TempDir folder;
  {
    Running run;
    REQUIRE(run.session.inspect(folder.path(), {}).ok());
    REQUIRE(run.session.create().ok());
    CHECK(files_in(folder.path()) == 1);
    for (int i = 0; i < 30; ++i) {
      const auto probed = run.session.probe(0, "nobody", "psync", false, false);
      REQUIRE_FALSE(probed.ok());
      CHECK(probed.error().message == "no such backend");
      const auto seen = run.session.look(folder.path());
      REQUIRE(seen.ok());
      CHECK(seen->path == folder.path());
      CHECK_FALSE(run.session.target_lost());
    }
    CHECK(run.session.remove().ok());
    CHECK(files_in(folder.path()) == 0);
  }
}

TEST_CASE("A probe that is still ending when the session goes leaves nothing", "[run][session]") {
  const test::TempDir folder;
  {
    Running run;
    REQUIRE(run.session.inspect(folder.path(), {}).ok());
    REQUIRE(run.session.create().ok());
    CHECK_FALSE(run.session.probe(0, "nobody", "psync", false, false).ok());
  }
  CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("A look is held up by no lock and holds none", "[run][session]") {
  const test::TempDir folder;
  Running first;
  REQUIRE(first.session.inspect(folder.path(), {}).ok());
  Running second;
  CHECK(second.session.look(folder.path()).ok());
  CHECK(second.session.look(folder.path()).ok());
  const auto refused = second.session.inspect(folder.path(), {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().system_errno == EWOULDBLOCK);
}

TEST_CASE("A pause lasts as long as it says, and tells what is left of it", "[run][session]") {
  Running run;
  std::vector<std::uint64_t> left;
  const std::uint64_t started = monotonic_ns();
  run.session.pause(350 * kMillisecond, [&left](std::uint64_t ns) { left.push_back(ns); });
  CHECK(monotonic_ns() - started >= 350 * kMillisecond);
  REQUIRE(left.size() >= 2);
  CHECK(left.front() <= 350 * kMillisecond);
  CHECK(std::is_sorted(left.rbegin(), left.rend()));
  CHECK_FALSE(run.session.interrupted());
  CHECK(run.session.look("/").ok());
}

TEST_CASE("A signal ends a pause", "[run][session]") {
  Running run;
  REQUIRE(::kill(::getpid(), SIGTERM) == 0);
  run.session.pause(3600 * kSecond, [](std::uint64_t) {});
  CHECK(run.session.interrupted());
}

TEST_CASE("A pause does not outlive the keeper", "[run][session]") {
  Running run;
  REQUIRE(::kill(run.keeper.pid, SIGKILL) == 0);
  run.session.pause(3600 * kSecond, [](std::uint64_t) {});
  CHECK_FALSE(run.session.look("/").ok());
  CHECK(run.session.target_lost());
}
