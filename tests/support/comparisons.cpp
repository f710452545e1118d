#include "support/comparisons.hpp"

#include <cstdint>
#include <utility>

#include "runner/compare/compare.hpp"
#include "runner/compare/limit.hpp"
#include "runner/compare/stages.hpp"
#include "support/catch.hpp"
#include "support/repeated_row.hpp"
#include "support/reports.hpp"

namespace sthd::test {
namespace {

compare::Input input_of(const Labelled& records) { return {records.reports, records.labels}; }

CannedComparison compared(std::string name, const Labelled& records) {
  return {std::move(name), records.reports, compare::compare(input_of(records))};
}

CannedComparison staged(std::string name, const Labelled& records, std::string_view columns,
                        const std::vector<compare::Note>& notes) {
  CannedComparison canned = compared(std::move(name), records);
  std::vector<compare::FigureName> names;
  if (!columns.empty()) {
    auto parsed = compare::parse_columns(columns);
    REQUIRE(parsed.ok());
    names = *parsed;
  }
  auto stages = compare::stages(input_of(records), names, notes);
  REQUIRE(stages.ok());
  canned.comparison.stages = std::move(*stages);
  return canned;
}

CannedComparison limited(std::string name, const Labelled& records,
                         const std::vector<std::string_view>& limits) {
  CannedComparison canned = compared(std::move(name), records);
  std::vector<compare::Limit> parsed;
  for (const std::string_view text : limits) {
    auto limit = compare::parse_limit(text);
    REQUIRE(limit.ok());
    parsed.push_back(*limit);
  }
  auto results = compare::judge(input_of(records), parsed);
  REQUIRE(results.ok());
  canned.comparison.limits = std::move(*results);
  return canned;
}

void add_row(Report& report, std::string id, const std::vector<std::uint64_t>& ios) {
  ResultRecord row = repeated_row(ios);
  row.job.template_id = id.substr(0, id.find('/'));
  row.job.label = "row " + id;
  row.job.id = std::move(id);
  row.resolution.backend = "native-psync";
  row.resolution.engine = "psync";
  row.resolution.direct_effective = false;
  report.plan.jobs.push_back(row.job);
  report.records.push_back(std::move(row));
}

Report five_rows() {
  Report report = original_slog_report();
  report.records.clear();
  report.plan.jobs.clear();
  add_row(report, "a/threads=1", {10'000, 10'050, 9950, 10'020, 9980});
  add_row(report, "b/threads=1", {5000, 5010, 4990});
  add_row(report, "c/threads=1", {7000, 7500, 6500});
  add_row(report, "d/threads=1", {2000, 2000, 2000});
  return report;
}

}  // namespace

Labelled before_and_after() {
  Labelled all{{five_rows(), five_rows()}, {"before", "after"}};
  add_row(all.reports[0], "gone", {100});
  Report& after = all.reports[1];
  after.records.clear();
  after.plan.jobs.clear();
  add_row(after, "a/threads=1", {8000, 8050, 7950, 8020, 7980});
  add_row(after, "b/threads=1", {6000, 6010, 5990});
  add_row(after, "c/threads=1", {7100, 7700, 6400});
  add_row(after, "d/threads=1", {1000, 1000, 1000});
  add_row(after, "new", {100});
  after.records[3].job.workload.block_size = 8192;
  after.records[1].resolution.engine = "io_uring";
  after.records[1].resolution.backend = "native-uring";
  for (ResultRecord& row : after.records) row.resolution.direct_effective = true;
  after.environment.kernel = "6.12.9";
  after.facts = {{"cpu.governor", std::string("performance"), ""}};
  all.reports[0].facts = {{"cpu.governor", std::string("schedutil"), ""}};
  return all;
}

std::vector<CannedComparison> canned_comparisons() {
  const Labelled stages = four_stages();
  const Labelled empty{{empty_report(), empty_report()}, {"", ""}};
  Labelled hostile{{unicode_report(), unicode_report()}, {"=cmd|' <b>", "`after`\x1b[0m\xff"}};
  hostile.reports[1].environment.kernel = "</script>\x1b|";
  Labelled huge{{huge_report(), huge_report()}, {"one", "two"}};
  huge.reports[1].records[1].loops[0].write->elapsed_ns = UINT64_MAX;
  return {staged("stages", stages,
                 "sync4k/threads=1 iops, sync4k/threads=1 lat.p50, sync4k/threads=1 bw, "
                 "sync4k/threads=16 iops, sync4k/threads=16 bw, sync4k/threads=16 lat.p99",
                 {{"DAPC (start): sync4k/threads=16 iops = —"},
                  {"DAPC (start): sync4k/threads=16 bw = regressing"},
                  {"DAPC (start): sync4k/threads=16 lat.p99 = thrashing"}}),
          compared("log-devices", log_devices()),
          staged("log-devices-stages", log_devices(), "", {}),
          limited("before-after", before_and_after(),
                  {"a/threads=1 iops < -5%", "b/threads=1 iops < -5%", "c/threads=1 iops < -5%",
                   "d/threads=1 lat.p99 > +10%"}),
          compared("nothing", empty),
          compared("hostile", hostile),
          staged("hostile-stages", hostile, "", {{"=cmd|' <b>: sync4k/threads=1 iops = |`x`|"}}),
          compared("huge", huge)};
}

}  // namespace sthd::test
