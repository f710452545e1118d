#include <string>
#include <vector>

#include "render.hpp"
#include "support/reports.hpp"

namespace sthd::test {
namespace {

std::string case_study(const FormatInput& input) { return rendered("case-study", input); }

Finding finding(std::string code, std::string remedy) {
  Finding result;
  result.code = std::move(code);
  result.job = "sync4k/threads=1";
  result.op = Op::write;
  result.evidence = {{"governor", "schedutil"}, {"mhz_mean", 1200.0}};
  result.text = "The CPU ran at 1200 MHz.";
  result.remedy = std::move(remedy);
  return result;
}

/// Before and after: the governor was the fault, and something new was found.
std::vector<Report> two_records() {
  std::vector<Report> reports{original_slog_report(), original_slog_report()};
  reports[0].findings = {finding("cpu-governor", "Set it to performance.")};
  reports[0].records[0].verdict.layers = {{"application", 328'000}, {"device", 90'000}};
  reports[1].findings = {finding("outliers", "")};
  return reports;
}

Comparison comparison_of_two() {
  Comparison comparison;
  comparison.sides = {{"DAPC", "1", ""}, {"+ governor", "2", ""}};
  comparison.differences = {{"governor", {"schedutil", ""}}};
  comparison.not_compared = {{"4K sync T4", "only in DAPC"}};
  comparison.limits = {{"x", LimitVerdict::kept, "x was kept."}};
  return comparison;
}

TEST_CASE("A case study of one record has its parts in order, and gaps for the author",
          "[writeup][case-study]") {
  const std::vector<Report> reports = two_records();
  const std::string text = case_study({reports[0], {}});
  CHECK(text.find("# Case study: Sync-write latency (ZFS ZIL / SLOG, NFS, iSCSI, VM)\n") == 0);
  std::size_t at = 0;
  for (const char* part : {"## The set-up", "## The symptom", "| 4K sync T1 |", "## The evidence",
                           "## The fixes tried", "## The results", "## What was learned"}) {
    INFO(part);
    REQUIRE(text.find(part, at) != std::string::npos);
    at = text.find(part, at);
  }
  CHECK(has(text,
            "1. **4K sync T1 write** (note, cpu-governor): The CPU ran at 1200 MHz.\n"
            "   - Figures: governor schedutil, mhz_mean 1200\n"
            "   - Remedy: Set it to performance.\n"));
  CHECK(has(text, "- [ ] Set it to performance.\n"));
  CHECK(has(text, "- 4K sync T1 write: application 328.0 us, device 90.0 us\n"));
  CHECK(has(text, "`speedtest-hd render before.json after.json -f case-study`"));
  CHECK_FALSE(has(text, "<details>"));
}

TEST_CASE("A case study of several records tells what changed and what it gave",
          "[writeup][case-study]") {
  const std::vector<Report> reports = two_records();
  Comparison comparison = comparison_of_two();
  comparison.stages = StageTable{
      "Stage", {"T1 IOPS"}, {{"DAPC", {"3050"}}, {"+ governor", {"10687"}}}, "3.5x the IOPS."};
  FormatInput input{reports[0], {}};
  input.reports = reports;
  input.comparison = &comparison;
  const std::string text = case_study(input);
  CHECK(has(text,
            "**What differs**\n\n|  | DAPC | + governor |\n|---|---|---|\n"
            "| governor | schedutil | unknown |\n"));
  CHECK(has(text,
            "| Stage | T1 IOPS |\n|---|---:|\n| DAPC | 3050 |\n| + governor | 10687 |\n\n"
            "3.5x the IOPS.\n"));
  CHECK(has(text,
            "   - No longer found in the last record.\n2. **4K sync T1 write** (note, "
            "outliers)"));
  CHECK(has(text, "   - Found in the last record, not in the first.\n"));
  CHECK(has(text, "### + governor\n"));
  CHECK_FALSE(has(text, "### DAPC\n"));
  CHECK(has(text, "| 4K sync T4 | only in DAPC |\n"));
  CHECK(has(text, "x: kept. x was kept."));
  CHECK_FALSE(has(text, "- [ ]"));
}

TEST_CASE("A case study without stages shows every figure's ratio, and the last record",
          "[writeup][case-study]") {
  std::vector<Report> reports = two_records();
  reports.push_back(reports[1]);
  Comparison comparison = comparison_of_two();
  ComparedRow row{.label = "4K sync T1"};
  row.op = Op::write;
  row.metric = row.title = "iops";
  row.values = {3050, 10687};
  row.ratios = {{3.5, 3.4, 3.6, Change::better}};
  comparison.rows = {row};
  FormatInput input{reports[0], {}};
  input.reports = reports;
  input.comparison = &comparison;
  const std::string text = case_study(input);
  CHECK(has(text, "3.50 (3.40-3.60) better |\n"));
  CHECK(has(text, "### record 3\n"));
  CHECK(has(text, "| 4K sync T16 |"));
}

TEST_CASE("A case study says when nothing differs, and what was done during rows",
          "[writeup][case-study]") {
  const std::vector<Report> reports{repeated_report(), repeated_report()};
  Comparison comparison = comparison_of_two();
  comparison.differences.clear();
  FormatInput input{reports[0], {}};
  input.reports = reports;
  input.comparison = &comparison;
  const std::string text = case_study(input);
  CHECK(has(text, "The records know of nothing that differs beside the figures.\n"));
  CHECK(has(text, "undone after them: cores-awake.\n"));
}

TEST_CASE("A case study folds the environment, and refers to pictures", "[writeup][case-study]") {
  const std::vector<Report> reports = two_records();
  FormatInput input{reports[0], {}};
  const Plot plots[] = {{"Latency by percentile", "plots/latency.svg"}};
  input.plots = plots;
  input.details = true;
  CHECK(has(case_study(input), "<summary>Environment</summary>"));
  CHECK(has(case_study(input), "![Latency by percentile](plots/latency.svg)\n"));
  input.reports = reports;
  CHECK(has(case_study(input), "<summary>Environment of record 2</summary>"));
}

}  // namespace
}  // namespace sthd::test
