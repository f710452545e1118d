#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "runner/record/record.hpp"
#include "support/catch.hpp"
#include "support/comparisons.hpp"
#include "support/page.hpp"
#include "support/plugins.hpp"
#include "support/reports.hpp"

namespace sthd::test {
namespace {

namespace fs = std::filesystem;

fs::path golden() { return fs::path(STHD_SOURCE_DIR) / "tests" / "golden"; }
fs::path reports() { return golden() / "reports"; }
fs::path comparisons() { return golden() / "comparisons"; }

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

bool approving() {
  const char* value = std::getenv("STHD_APPROVE");
  return value != nullptr && std::string_view(value) == "1";
}

/// Compares with <name>.approved.txt; a difference is left beside it as <name>.received.txt, and
/// STHD_APPROVE=1 accepts it.
void verify(const fs::path& folder, const std::string& name, const std::string& text) {
  const fs::path approved = folder / (name + ".approved.txt");
  const fs::path received = folder / (name + ".received.txt");
  if (approving()) write_file(approved, text);
  const bool same = fs::exists(approved) && read_file(approved) == text;
  if (same) {
    fs::remove(received);
  } else {
    write_file(received, text);
  }
  INFO(fmt::format("compare {} with {}; STHD_APPROVE=1 accepts it", received.string(),
                   approved.string()));
  CHECK(same);
}

/// Whether each approved text in `folder` is one of `expected`.
void check_all_expected(const fs::path& folder, const std::set<std::string>& expected) {
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    if (name.find(".approved.") == std::string::npos) continue;
    INFO(name);
    CHECK(expected.count(name) == 1);
  }
}

}  // namespace

TEST_CASE("Every formatter renders every canned report as approved", "[golden][formatter]") {
  REQUIRE_FALSE(plugins().formatters().empty());
  for (const CannedReport& canned : canned_reports()) {
    const std::string json = record::to_json(canned.report);
    for (const host::FormatterEntry& entry : plugins().formatters()) {
      const auto text = entry.formatter->render({canned.report, json});
      REQUIRE(text.ok());
      verify(reports(), canned.name + "." + entry.name, without_assets(*text));
    }
  }
}

TEST_CASE("Every formatter that compares shows every canned comparison as approved",
          "[golden][formatter][compare]") {
  std::size_t comparing = 0;
  for (const CannedComparison& canned : canned_comparisons()) {
    const std::string json = record::to_json(canned.comparison);
    for (const host::FormatterEntry& entry : plugins().formatters()) {
      if (!entry.info.compares) continue;
      ++comparing;
      const auto text = entry.formatter->render({.report = canned.reports.front(),
                                                 .record_json = json,
                                                 .reports = canned.reports,
                                                 .comparison = &canned.comparison});
      REQUIRE(text.ok());
      verify(comparisons(), canned.name + "." + entry.name, without_assets(*text));
    }
  }
  CHECK(comparing > 0);
}

TEST_CASE("No approved text is left of a report or formatter that is gone", "[golden]") {
  std::set<std::string> expected;
  std::set<std::string> compared;
  for (const CannedReport& canned : canned_reports()) {
    for (const host::FormatterEntry& entry : plugins().formatters()) {
      expected.insert(fmt::format("{}.{}.approved.txt", canned.name, entry.name));
    }
  }
  for (const CannedComparison& canned : canned_comparisons()) {
    for (const host::FormatterEntry& entry : plugins().formatters()) {
      if (!entry.info.compares) continue;
      compared.insert(fmt::format("{}.{}.approved.txt", canned.name, entry.name));
    }
  }
  check_all_expected(reports(), expected);
  check_all_expected(comparisons(), compared);
}

}  // namespace sthd::test
