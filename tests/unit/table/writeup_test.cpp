#include "kit/table/evidence.hpp"
#include "kit/table/expected.hpp"
#include "kit/table/markdown.hpp"
#include "support/catch.hpp"

namespace sthd::table {
namespace {

TEST_CASE("Evidence is whole from 1000 on, and has four digits below", "[table][evidence]") {
  Finding finding;
  CHECK(evidence_text(finding).empty());
  finding.evidence = {{"mean_latency_ns", 85504.4}, {"depth", 1.10009}, {"governor", "schedutil"}};
  CHECK(evidence_text(finding) == "mean_latency_ns 85504, depth 1.1, governor schedutil");
}

TEST_CASE("A metric is shown in the unit in which it is read", "[table][expected]") {
  const struct {
    const char* metric;
    double value;
    const char* text;
  } cases[] = {{"iops", 10687.4, "10687"},      {"bw", 43.77e6, "43.77 MB/s"},
               {"lat.p99", 185344, "185.3 us"}, {"seconds", 1.5, "1.50 s"},
               {"bytes", 4096, "4096 B"},       {"depth", 1.1, "1.1"}};
  for (const auto& item : cases) CHECK(metric_text(item.metric, item.value) == item.text);
  CHECK(metric_text("iops", std::nullopt).empty());
}

TEST_CASE("A range has open ends, and the maker's figure", "[table][expected]") {
  CHECK(range_text({"iops", 15000, 25000, {}}) == "15000 to 25000");
  CHECK(range_text({"lat.p99", {}, 10e6, {}}) == "at most 10000.0 us");
  CHECK(range_text({"bw", 495e6, {}, 550e6}) == "at least 495.00 MB/s (spec 550.00 MB/s)");
}

TEST_CASE("The expectation of a judgement is found by its id", "[table][expected]") {
  Report report;
  report.expectations = {{"a", ExpectKind::healthy}, {"b", ExpectKind::require}};
  CHECK(expectation_of(report, {"b"})->kind == ExpectKind::require);
  CHECK(expectation_of(report, {"c"}) == nullptr);
}

TEST_CASE("A Markdown table escapes its cells and aligns its numbers", "[table][markdown]") {
  CHECK(markdown_head({"Test", "a|b"}, MarkdownAlign::numbers) == "| Test | a\\|b |\n|---|---:|\n");
  CHECK(markdown_head({"Part", "Detail"}, MarkdownAlign::texts) ==
        "| Part | Detail |\n|---|---|\n");
  CHECK(markdown_line({"x", "", "*y*"}) == "| x |  | \\*y\\* |\n");
}

TEST_CASE("A Markdown image has a link that its path cannot end", "[table][markdown]") {
  CHECK(markdown_image("p99 [x]", "plots/p99.svg") == "![p99 \\[x\\]](plots/p99.svg)\n");
  CHECK(markdown_image("a", "../a b)(\"<x>\\\n\xc3\xa4:1.svg") ==
        "![a](../a%20b%29%28%22%3Cx%3E%5C%0A%C3%A4%3A1.svg)\n");
}

TEST_CASE("What is folded in Markdown is Markdown", "[table][markdown]") {
  CHECK(markdown_folded("a < b", "| x |\n") ==
        "<details>\n<summary>a &lt; b</summary>\n\n| x |\n\n</details>\n");
}

}  // namespace
}  // namespace sthd::table
