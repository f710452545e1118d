#include "runner/app/run_names.hpp"

#include "support/catch.hpp"

namespace sthd::app {

namespace {

/// The newest first.
std::vector<host::KeptRun> runs() {
  std::vector<host::KeptRun> all;
  for (const char* id : {"1f3a9c2e", "1f77aa00", "22222222"}) {
    all.push_back(*host::parse_run_name(std::string("2026-12-01T09-51-47Z-slog-") + id));
  }
  return all;
}

/// The id of the run, or the sentence.
std::string found(std::string_view word) {
  const auto run = find_run(runs(), word);
  return run ? run->id : run.error().message;
}

}  // namespace

TEST_CASE("A run is named by its index, its id, or as much of it as is its own", "[app][history]") {
  CHECK(found("@-1") == "1f3a9c2e");
  CHECK(found("@-3") == "22222222");
  CHECK(found("2") == "22222222");
  CHECK(found("1f3") == "1f3a9c2e");
  CHECK(found("1f77aa00") == "1f77aa00");
  CHECK(found("1f3a9c2e-3c1e-4d0b-9f52-0d6f3a1b2c3d") == "1f3a9c2e");
  CHECK(found("2026-12-01T09-51-47Z-slog-22222222") == "22222222");
}

TEST_CASE("What names no run, or several, says so", "[app][history]") {
  const std::string index = " names no run: @-1 is the newest, @-2 the one before it";
  for (const std::string word :
       {"@", "@1", "@-", "@-0", "@--1", "@-1.", "@-99999999999999999999"}) {
    CHECK(found(word) == word + index);
  }
  CHECK(found("@\x1b") == "@\\x1b" + index);
  CHECK(found("@-4") == "@-4 names no run: 3 runs are kept; `speedtest-hd history` lists them");
  CHECK(found("1f") ==
        "1f begins the id of 2 kept runs (1f3a9c2e, 1f77aa00): give more of it, or @-N");
  CHECK(found("3") ==
        "there is neither a file nor a kept run called 3; `speedtest-hd history` lists the runs");
  CHECK(find_run({}, "@-1").error().message == "@-1 names no run: none is kept yet");
  CHECK(find_run({runs()[0]}, "@-2").error().message ==
        "@-2 names no run: 1 run is kept; `speedtest-hd history` lists them");
}

TEST_CASE("Only what can be a run is looked for where there is no file", "[app][history]") {
  for (const char* word : {"1f", "1f3a9c2e", "1f3a9c2e-3c1e-4d0b-9f52-0d6f3a1b2c3d",
                           "2026-12-01T09-51-47Z-slog-22222222"}) {
    CHECK(may_be_run(word));
  }
  for (const char* word :
       {"", "-", "a.json", "./1f", "1F", "slog", "@-1", "1f3a9c2e-3c1e-4d0b-9f52-0d6f3a1b2c3d0"}) {
    CHECK_FALSE(may_be_run(word));
  }
  CHECK(is_index("@-1"));
  CHECK(is_index("@x"));
  CHECK_FALSE(is_index("./@-1"));
}

}  // namespace sthd::app
