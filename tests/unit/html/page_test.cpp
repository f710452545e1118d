#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "runner/record/record.hpp"
#include "support/catch.hpp"
#include "support/page.hpp"
#include "support/plugins.hpp"
#include "support/reports.hpp"

namespace sthd::test {
namespace {

std::string page_of(const FormatInput& input) {
  const host::FormatterEntry* entry = plugins().formatter("html");
  REQUIRE(entry != nullptr);
  const auto text = entry->formatter->render(input);
  REQUIRE(text.ok());
  return *text;
}

std::string report_page(const Report& report) {
  const std::string json = record::to_json(report);
  return page_of({report, json});
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// What stands between `from` and the next `to`; the test fails where there is none.
std::string between(const std::string& text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find(to, begin + from.size());
  REQUIRE(end != std::string::npos);
  return text.substr(begin + from.size(), end - begin - from.size());
}

std::string embedded(const std::string& page) {
  return between(page, "<script type=\"application/json\" id=\"record\">", "</script>");
}

Comparison comparison_of(const Report& report) {
  Comparison comparison;
  comparison.sides = {{"before", "1", "2025-01-02T03:04:05Z"}, {"<after>", "2", ""}};
  comparison.differences = {{"kernel", {"6.1.0", ""}}};
  const Job& job = report.plan.jobs.front();
  comparison.rows = {{.job = job.id,
                      .label = job.label,
                      .op = Op::write,
                      .metric = "iops",
                      .title = "IOPS",
                      .values = {10'687.0, std::nullopt},
                      .ratios = {{1.25, 1.1, 1.4, Change::better}}},
                     {.job = job.id,
                      .label = job.label,
                      .op = Op::write,
                      .metric = "lat.p99",
                      .title = "p99 lat(us)",
                      .unit = "us",
                      .precision = 1,
                      .values = {185.3, 185.3},
                      .ratios = {Ratio{}}}};
  comparison.limits = {{"iops < -10%", LimitVerdict::inconclusive, "The interval holds it."}};
  return comparison;
}

std::string comparison_page(const Comparison& comparison, const Report& report) {
  const std::vector<Report> reports(2, report);
  return page_of(
      {.report = report, .record_json = "{}", .reports = reports, .comparison = &comparison});
}

}  // namespace

TEST_CASE("The record in the page is the record, whatever is written in it", "[html]") {
  for (const Report& report : {unicode_report(), mixed_report()}) {
    const std::string json = record::to_json(report);
    const std::string text = embedded(report_page(report));
    CHECK(text.find('<') == std::string::npos);
    const auto read = record::from_json(text);
    REQUIRE(read.ok());
    CHECK(record::to_json(*read) == json);
  }
}

TEST_CASE("A record that is too large is left out of the page, which says so", "[html]") {
  const Report report = ok_report();
  const std::string page = page_of({report, std::string(512 * 1024 + 1, ' ')});
  CHECK(page.find("id=\"record\"") == std::string::npos);
  CHECK(page.find("(result.v1, 512 KiB) is too large to be in this page") != std::string::npos);
}

TEST_CASE("A page shows every finding once with all its rows, evidence and remedy", "[html]") {
  Report report = mixed_report();
  report.findings[0].evidence = {{"share", 0.25}, {"<who>", std::string("\"you\"")}};
  const std::string page = without_assets(report_page(report));
  CHECK(count(page, "<article ") == 6);
  CHECK(page.find("<td>share</td><td>0.25</td>") != std::string::npos);
  CHECK(page.find("<td>&lt;who&gt;</td><td>&quot;you&quot;</td>") != std::string::npos);
  CHECK(count(page, "What to do:") == 6);
}

TEST_CASE("The environment of a page is open where details are asked for", "[html]") {
  const Report report = ok_report();
  for (const bool details : {false, true}) {
    const std::string page = page_of({.report = report, .record_json = "{}", .details = details});
    const std::string opened = details ? "<details open>" : "<details>";
    CHECK(page.find(opened + "\n<summary>Environment</summary>") != std::string::npos);
  }
}

TEST_CASE("A page has fio's command lines, the profile's text and the command line", "[html]") {
  Report report = ok_report();
  report.records[0].fio_command = "fio --name=a <b>";
  report.profile.files = {{"/p/cdm.toml", "", "name = \"cdm\"\n\tx = 1\n"}};
  report.argv = {"speedtest-hd", "run", "my profile"};
  const std::string page = report_page(report);
  CHECK(page.find("<pre tabindex=\"0\"><code>fio --name=a &lt;b&gt;\n</code></pre>") !=
        std::string::npos);
  CHECK(page.find("<code>name = &quot;cdm&quot;\n\\tx = 1\n</code>") != std::string::npos);
  CHECK(page.find("<code>speedtest-hd run &#39;my profile&#39;</code>") != std::string::npos);
}

TEST_CASE("A page lists what was expected and what came of it", "[html]") {
  Report report = original_slog_report();
  report.expectations = {{.id = "optane",
                          .kind = ExpectKind::vendor_spec,
                          .source = "data sheet",
                          .remedy = "Look at the governor."}};
  const std::string job = report.plan.jobs.front().id;
  report.judgements = {
      {"optane",
       job,
       Op::write,
       {"iops", 15'000.0, 25'000.0, 20'000.0},
       10'687.0,
       Expected::missed,
       ""},
      {"optane", job, Op::write, {"lat.p99", {}, 1e6, {}}, {}, Expected::unknown, "no latencies"}};
  const std::string page = report_page(report);
  CHECK(
      page.find("<td>iops</td><td>15000 to 25000 (spec 20000)</td><td>10687</td><td>missed</td>"
                "<td>optane (vendor-spec)</td><td>data sheet</td><td>Look at the governor.</td>") !=
      std::string::npos);
  CHECK(page.find("<td>lat.p99</td><td>at most 1000.0 us</td><td></td><td>unknown</td>"
                  "<td>optane (vendor-spec)</td><td>data sheet</td><td>no latencies</td>") !=
        std::string::npos);
}

TEST_CASE("A page draws 64 rows and says that there are more", "[html]") {
  Report report = original_slog_report();
  const ResultRecord record = report.records.front();
  report.records.assign(70, record);
  const std::string page = report_page(report);
  CHECK(page.find("The first 64 of 70 are shown") != std::string::npos);
  const std::string heads = between(page, "<caption>Latency by percentile (us)", "</thead>");
  CHECK(count(heads, "<th ") == 1 + 64);
}

TEST_CASE("A comparison shows its parts, and the ratios that are known as a plot", "[html]") {
  const Report report = original_slog_report();
  const std::string page = without_assets(comparison_page(comparison_of(report), report));
  CHECK(page.find("<h1>Comparison: before, &lt;after&gt;</h1>") != std::string::npos);
  CHECK(page.find("<th scope=\"row\">4K sync T1 write</th><td>IOPS</td><td>10687</td><td></td>"
                  "<td>1.25 (1.10-1.40) better</td>") != std::string::npos);
  CHECK(page.find("<th scope=\"row\">kernel</th><td>6.1.0</td><td>unknown</td>") !=
        std::string::npos);
  CHECK(page.find("<p>iops &lt; -10%: inconclusive. The interval holds it.</p>") !=
        std::string::npos);
  const std::string forest = between(page, "data-chart=\"ratios\"", "</table>");
  CHECK(count(forest, "<tr><th scope=\"row\">") == 1);  // the other ratio is not known
  CHECK(forest.find("4K sync T1 write: IOPS</th><td>&lt;after&gt;</td><td>1.2500</td>"
                    "<td>1.1000</td><td>1.4000</td><td>better</td>") != std::string::npos);
}

TEST_CASE("A comparison lays the curves of all sides over each other", "[html]") {
  const Report report = unicode_report();
  Comparison comparison = comparison_of(report);
  comparison.not_compared = {{report.plan.jobs[1].label, "only in before"}};
  const std::string page = comparison_page(comparison, report);
  CHECK(count(page, "data-chart=\"latency\"") == report.records.size() - 1);
  CHECK(count(page, "data-chart=\"sides\"") == report.records.size() - 1);
  CHECK(page.find("<th scope=\"col\">Percentile</th><th scope=\"col\">before</th>"
                  "<th scope=\"col\">&lt;after&gt;</th>") != std::string::npos);
}

TEST_CASE("A comparison by stages leaves the single figures out", "[html]") {
  const Report report = original_slog_report();
  Comparison comparison = comparison_of(report);
  comparison.stages = StageTable{"Stage",
                                 {"IOPS"},
                                 {{"before", {"1"}}, {"after", {"\xe2\x80\x94"}}},
                                 "Net improvement: 3.5x."};
  const std::string page = comparison_page(comparison, report);
  CHECK(page.find("<th scope=\"row\">after</th><td>\xe2\x80\x94</td>") != std::string::npos);
  CHECK(page.find("Net improvement: 3.5x.") != std::string::npos);
  CHECK(page.find("data-chart=\"ratios\"") == std::string::npos);
  CHECK(page.find("<caption>Figures") == std::string::npos);
}

}  // namespace sthd::test
