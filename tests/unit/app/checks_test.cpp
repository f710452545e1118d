#include "runner/app/checks.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "runner/app/explain.hpp"
#include "support/catch.hpp"

namespace sthd::app {

TEST_CASE("Every finding of a run is a check with its needs", "[app][checks]") {
  std::set<std::string> codes;
  for (const Check& check : all_checks()) codes.emplace(check.code);
  CHECK(codes.size() == all_checks().size());
  for (const char* experiment : {"host-floor", "measured-effect"}) codes.emplace(experiment);
  for (const std::string& code : explained_codes()) {
    CAPTURE(code);
    CHECK(codes.count(code) == 1);
  }
}

TEST_CASE("A report that holds nothing allows what needs nothing", "[app][checks]") {
  const auto lines = known_lines(Report{}, true);
  const auto free = std::count_if(all_checks().begin(), all_checks().end(),
                                  [](const Check& check) { return check.needs.empty(); });
  CHECK(lines.at(0) == "checks    " + std::to_string(free) + " of " +
                           std::to_string(all_checks().size()) + " can be made");
  CHECK(lines.at(1) == "unknown   latencies (depth-collapsed, latency-bound)");
  CHECK(lines.at(2) ==
        "          whether O_DIRECT is real (cached-reads-possible, direct-ignored, "
        "direct-refused, working-set-tiny)");
}

TEST_CASE("Without their checks the unknown things are a list of at most 100 columns",
          "[app][checks]") {
  const auto lines = known_lines(Report{}, false);
  REQUIRE(lines.size() > 3);
  CHECK(lines.at(1) ==
        "unknown   latencies, whether O_DIRECT is real, what the disks moved, the time in "
        "submission,");
  for (const auto& line : lines) CHECK(line.size() <= 100);
  CHECK(lines.back().back() != ',');
}

TEST_CASE("A fact allows its check, and a null does not", "[app][checks]") {
  const auto mentions = [](const Report& report, std::string_view text) {
    const auto lines = known_lines(report, true);
    return std::any_of(lines.begin(), lines.end(), [text](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  };
  Report report;
  report.facts = {{"cpu.governor", {}, "this machine shows no cpufreq"}};
  CHECK(mentions(report, "the CPU governor (cpu-governor)"));
  report.facts = {{"cpu.governor", "performance", {}}};
  CHECK_FALSE(mentions(report, "the CPU governor"));
}

TEST_CASE("Where the filesystem is not ZFS, its checks have nothing to miss", "[app][checks]") {
  const auto missing = [](const Report& report) {
    std::string text;
    for (const auto& line : known_lines(report, true)) text += line + "\n";
    return text.find("slog-absent") != std::string::npos;
  };
  Report report;
  CHECK(missing(report));
  report.target.filesystem = "zfs";
  CHECK(missing(report));
  report.target.filesystem = "ext4";
  CHECK_FALSE(missing(report));
}

}  // namespace sthd::app
