#include <map>

#include "kit/table/table.hpp"
#include "runner/analyze/analyze.hpp"
#include "runner/profile/profile.hpp"
#include "support/catch.hpp"

// A drive against its data sheet, as somebody once measured it with fio on a server: the last
// figure, seven times the maker's, nobody questioned.
namespace sthd::app {

namespace {

Report measured(const std::map<std::string, double>& figures) {
  const std::string folder = STHD_SOURCE_DIR "/tests/fixtures/profiles/valid/";
  const auto profile = profile::load(folder + "kcd5xlug3t84.toml", {STHD_SOURCE_DIR "/profiles"});
  const auto& loaded = std::get<profile::Profile>(profile);
  const auto asked = std::get<profile::Asked>(profile::expand_all(loaded, {}));
  Report report;
  report.columns = loaded.columns();
  report.expectations = asked.expectations;
  report.plan.jobs = asked.jobs;
  for (const Job& job : asked.jobs) {
    ResultRecord& record = report.records.emplace_back();
    record.job = job;
    OpResult result;
    const bool random = job.workload.pattern == Pattern::random;
    const double seconds = 600;
    const double bytes_per_s =
        figures.at(job.label) * (random ? static_cast<double>(job.workload.block_size) : kMB);
    result.bytes = static_cast<std::uint64_t>(bytes_per_s * seconds);
    result.ios = result.bytes / job.workload.block_size;
    result.elapsed_ns = static_cast<std::uint64_t>(seconds) * kSecond;
    LoopResult& loop = record.loops.emplace_back();
    (job.workload.op == Op::read ? loop.read : loop.write) = result;
  }
  analyze::judge(report);
  return report;
}

}  // namespace

TEST_CASE("A data sheet's figures stand beside the measured ones, and what is too good is told",
          "[app][expect]") {
  const Report report = measured({{"SEQ512K read", 2518},
                                  {"SEQ512K write", 1583},
                                  {"RND4K read", 342'000},
                                  {"RND4K write", 278'000}});
  std::map<std::string, std::string> cells;
  for (const table::Row& row : table::build(report).rows) {
    cells[row.label] = row.cells.back().text;
  }
  CHECK(cells == std::map<std::string, std::string>{{"SEQ512K read", "2518 (3140) MB/s"},
                                                    {"SEQ512K write", "1583 (1520) MB/s"},
                                                    {"RND4K read", "342000 (465000) IOPS"},
                                                    {"RND4K write", "278000 (40000) IOPS"}});
  std::map<std::string, std::string> verdicts;
  for (const Judgement& judgement : report.judgements) {
    verdicts[judgement.expectation] = to_text(judgement.verdict);
  }
  CHECK(verdicts == std::map<std::string, std::string>{{"sequential-read", "missed"},
                                                       {"sequential-write", "met"},
                                                       {"random-read", "missed"},
                                                       {"random-write", "above"}});
  std::vector<std::string> above;
  for (const Finding& finding : report.findings) {
    if (finding.code == "above-spec") above.push_back(finding.text);
  }
  REQUIRE(above.size() == 1);
  CHECK(above[0].starts_with("iops 278000 is 7.0 times better than the maker says (40000)"));
}

}  // namespace sthd::app
