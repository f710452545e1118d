#include <fstream>
#include <iterator>
#include <set>

#include "runner/analyze/analyze.hpp"
#include "runner/app/checks.hpp"
#include "runner/app/explain.hpp"
#include "runner/record/import.hpp"
#include "runner/record/record.hpp"
#include "support/catch.hpp"
#include "unit/record/random_report.hpp"

namespace sthd::app {

TEST_CASE("Any report that can be read can be judged and explained", "[app][analyze]") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Report report = record::test::random_report(seed);
    analyze::judge(report);
    CHECK(explain_report(report).find('\x1b') == std::string::npos);
    CHECK_FALSE(known_lines(report, true).empty());
    const std::string text = record::to_json(report);
    auto again = record::from_json(text);
    if (!again) FAIL(again.error().message);
    analyze::judge(*again);
    CHECK(record::to_json(*again) == text);  // facts alone decide, not what was said before
  }
}

TEST_CASE("Of fio's fixture the rules say what its figures show and no more", "[app][analyze]") {
  std::ifstream file(STHD_SOURCE_DIR "/tests/fixtures/fio/psync-write-2-jobs.json");
  auto imported = record::import_report(std::string(std::istreambuf_iterator<char>(file), {}));
  if (!imported) FAIL(imported.error().message);
  analyze::judge(imported->report);
  std::set<std::string> codes;
  for (const Finding& finding : imported->report.findings) codes.insert(finding.code);
  CHECK(codes == std::set<std::string>{"run-too-short"});
}

}  // namespace sthd::app
