#include "runner/app/explain.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "support/catch.hpp"

namespace sthd::app {

namespace {

/// Every `.code = "…"` of the rules' sources.
std::set<std::string> codes_in_rules() {
  std::set<std::string> codes;
  const std::regex code("\\.code = \"([a-z-]+)\"");
  for (const auto& file : std::filesystem::directory_iterator(STHD_SOURCE_DIR "/runner/analyze")) {
    std::ifstream stream(file.path());
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    for (std::sregex_iterator at(text.begin(), text.end(), code), end; at != end; ++at) {
      codes.insert((*at)[1]);
    }
  }
  return codes;
}

}  // namespace

TEST_CASE("Every code of a rule has its page, and every page its rule", "[app][explain]") {
  const std::vector<std::string> pages = explained_codes();
  CHECK(std::set<std::string>(pages.begin(), pages.end()) == codes_in_rules());
  CHECK(pages.size() == codes_in_rules().size());
}

TEST_CASE("A page is the README's section of that code", "[app][explain]") {
  CHECK(explanation("unit-mismatch") ==
        "unit-mismatch\n\nMB/s and IOPS × block size differ by more than 0.5 %: the backend counts "
        "wrongly (KiB for kB is 2.4 %).\n");
  CHECK(explanation("unit") == "");
  CHECK(explanation("") == "");
}

TEST_CASE("A report is explained with evidence, remedy and layers", "[app][explain]") {
  Report report;
  ResultRecord& record = report.records.emplace_back();
  record.job = {.id = "j", .template_id = "j", .label = "4K"};
  record.verdict.layers = {{"application", 2000}, {"device", 1000}};
  report.findings = {{.code = "outliers",
                      .severity = Severity::note,
                      .job = "j",
                      .evidence = {{"ios", 12345.6}, {"share", 0.25}, {"what", std::string("x")}},
                      .text = "Text.",
                      .remedy = "Do."},
                     {.code = "nearly-full", .severity = Severity::suspect, .text = "Full."}};
  CHECK(explain_report(report) ==
        "\n"
        "nearly-full (suspect), the whole run: Full.\n"
        "outliers (note), 4K read: Text.\n"
        "  evidence: ios 12346, share 0.25, what x\n"
        "  remedy: Do.\n"
        "Mean latency by layer:\n"
        "  4K read: application 2.0 us, device 1.0 us\n");
}

}  // namespace sthd::app
