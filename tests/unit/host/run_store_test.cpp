#include "runner/host/run_store.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "support/catch.hpp"
#include "support/fake_context.hpp"

namespace sthd::host {

namespace {

constexpr const char* kBegan = "2026-12-01T09:51:47Z";
constexpr const char* kId = "1f3a9c2e-3c1e-4d0b-9f52-0d6f3a1b2c3d";

/// A home without anything in it.
class Home {
 public:
  Home() { ::unsetenv("XDG_STATE_HOME"); }
  [[nodiscard]] InvokingUser user() const { return {::geteuid(), ::getegid(), dir_.path(), false}; }
  [[nodiscard]] std::string runs() const { return dir_.path() + "/.local/state/speedtest-hd/runs"; }

 private:
  test::TempDir dir_;
};

RunStore made(const Home& home) {
  auto store = RunStore::make(home.user());
  if (!store) FAIL(store.error().message);
  return std::move(*store);
}

RunFiles begun(const Home& home, const std::string& name) {
  auto files = RunFiles::begin(made(home), name, "[");
  if (!files) FAIL(files.error().message);
  return std::move(*files);
}

KeptRun only_run(const Home& home) {
  const auto runs = made(home).runs();
  REQUIRE(runs.ok());
  REQUIRE(runs->size() == 1);
  return runs->front();
}

}  // namespace

TEST_CASE("The name of a run says when it began, its profile and its id", "[host][store]") {
  CHECK(run_name(kBegan, "slog", kId) == "2026-12-01T09-51-47Z-slog-1f3a9c2e");
  CHECK(run_name(kBegan, "../a b\n\xc3\xa9", kId) == "2026-12-01T09-51-47Z-.._a_b___-1f3a9c2e");
  CHECK(run_name(kBegan, std::string(300, 'x'), kId).size() == 21 + 40 + 9);
  for (const std::string& profile :
       std::vector<std::string>{"slog", "a-b", "", "../x", std::string(300, 'x')}) {
    const std::string name = run_name(kBegan, profile, kId);
    CAPTURE(name);
    const auto run = parse_run_name(name);
    REQUIRE(run);
    CHECK(run->name == name);
    CHECK(run->id == "1f3a9c2e");
  }
}

TEST_CASE("No other name is one of a run", "[host][store]") {
  for (const std::string name :
       {"", "1f3a9c2e", "2026-12-01T09-51-47Z-1f3a9c2e", "2026-12-01T09-51-47Z-slog-1f3a9c2",
        "2026-12-01T09-51-47Z-slog-1F3A9C2E", "2026-12-01T09-51-47Z-slog_1f3a9c2e",
        "2026-12-01T09:51:47Z-slog-1f3a9c2e", "2026-12-01T09-51-47Z-a/b-1f3a9c2e",
        "2026-12-01T09-51-47Z-a b-1f3a9c2e", "x2026-12-01T09-51-47Z-slog-1f3a9c2e",
        "2026-12-01T09-51-47Z-slog-1f3a9c2e.json"}) {
    CAPTURE(name);
    CHECK_FALSE(parse_run_name(name));
  }
  CHECK_FALSE(parse_run_name("2026-12-01T09-51-47Z-" + std::string(41, 'x') + "-1f3a9c2e"));
}

TEST_CASE("A run is a locked journal first, then a record", "[host][store]") {
  const Home home;
  const std::string name = run_name(kBegan, "slog", kId);
  {
    RunFiles files = begun(home, name);
    CHECK(files.path() == home.runs() + "/" + name + ".json.part");
    CHECK(files.add("1").ok());
    CHECK(files.add(",2").ok());
    const KeptRun running = only_run(home);
    CHECK(running.running);
    CHECK_FALSE(running.whole);
    CHECK(running.bytes == 4);
    const auto text = made(home).read(running);
    REQUIRE(text.ok());
    CHECK(*text == "[1,2");
  }
  CHECK_FALSE(only_run(home).running);  // as when its program was killed
  const std::filesystem::path older =
      home.runs() + "/" + name + ".json.part";  // clocks of files are coarse
  std::filesystem::last_write_time(
      older, std::filesystem::last_write_time(older) - std::chrono::seconds(1));
  {
    RunFiles files = begun(home, run_name(kBegan, "slog", "22222222"));
    CHECK(files.finish("whole").ok());
    CHECK(files.path().extension() == ".json");
  }
  const auto runs = made(home).runs();
  REQUIRE(runs.ok());
  REQUIRE(runs->size() == 2);
  CHECK(runs->front().id == "22222222");  // of the same second, but changed later
  CHECK(runs->front().whole);
  CHECK(test::slurp(home.runs() + "/" + runs->front().file()) == "whole");
}

TEST_CASE("A journal never takes the place of a file", "[host][store]") {
  const Home home;
  const std::string name = run_name(kBegan, "slog", kId);
  const RunFiles first = begun(home, name);
  const auto second = RunFiles::begin(made(home), name, "x");
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().message ==
        "cannot write " + home.runs() + "/" + name + ".json.part: File exists (EEXIST)");
  CHECK(test::slurp(first.path().string()) == "[");
}

TEST_CASE("The oldest runs make room, by number and by size", "[host][store]") {
  const Home home;
  for (int i = 1; i <= 5; ++i) {
    const std::string began = "2026-12-0" + std::to_string(i) + "T00:00:00Z";
    CHECK(begun(home, run_name(began, "a", "0000000" + std::to_string(i)))
              .finish(std::string(100, 'x'))
              .ok());
  }
  const auto ids = [&home] {
    const auto runs = made(home).runs();
    std::string text;
    for (const KeptRun& run : *runs) text += run.id.back();
    return text;
  };
  const RunStore store = made(home);
  store.prune({}, "");
  CHECK(ids() == "54321");
  store.prune({4, 1000}, "");
  CHECK(ids() == "5432");
  store.prune({10, 250}, "");
  CHECK(ids() == "54");
  store.prune({0, 0}, run_name("2026-12-04T00:00:00Z", "a", "00000004"));
  CHECK(ids() == "4");
}

TEST_CASE("A store that is not there is empty", "[host][store]") {
  const Home home;
  const auto store = RunStore::open(home.user());
  REQUIRE(store.ok());
  const auto runs = store->runs();
  REQUIRE(runs.ok());
  CHECK(runs->empty());
  struct stat facts {};
  CHECK(::stat((home.user().home / ".local").c_str(), &facts) != 0);
}

}  // namespace sthd::host
