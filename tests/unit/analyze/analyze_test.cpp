#include "runner/analyze/analyze.hpp"

#include "sample_report.hpp"
#include "support/catch.hpp"

namespace sthd::analyze {

TEST_CASE("An empty report has no findings", "[analyze]") { CHECK(analyze(Report{}).empty()); }

TEST_CASE("An honest run has no findings", "[analyze]") {
  CHECK(analyze(test::report_of({test::measured(Op::read, 4, 1, 1000, 3900000),
                                 test::measured(Op::write, 1, 1, 1000, 900000)}))
            .empty());
}

TEST_CASE("The worst findings come first, then those of earlier rows", "[analyze]") {
  std::vector<ResultRecord> records;
  for (const char* id : {"b", "a"}) {
    ResultRecord record = test::measured(Op::read, 32, 1, 1000, 100000);
    record.job.id = id;
    record.resolution.direct_effective = false;
    records.push_back(record);
  }
  std::vector<std::string> order;
  for (const Finding& finding : analyze(test::report_of(records))) {
    order.push_back(finding.code + " " + finding.job);
  }
  CHECK(order == std::vector<std::string>{"depth-collapsed b", "depth-collapsed a",
                                          "cached-reads-possible b", "cached-reads-possible a"});
}

TEST_CASE("Findings already in the report change nothing", "[analyze]") {
  Report report = test::report_of({test::measured(Op::read, 32, 1, 1000, 100000)});
  report.findings = analyze(report);
  REQUIRE(report.findings.size() == 1);
  CHECK(analyze(report).size() == 1);
}

}  // namespace sthd::analyze
