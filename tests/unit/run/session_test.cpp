#include "runner/run/session.hpp"

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

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
