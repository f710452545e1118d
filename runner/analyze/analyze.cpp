#include "runner/analyze/analyze.hpp"

#include <algorithm>

#include "sthd_rules.inc"

namespace sthd::analyze {

namespace {

/// Where a finding's job stands among the records; findings about the whole run come first.
std::size_t place_of(const Report& report, const Finding& finding) {
  const auto record = std::find_if(report.records.begin(), report.records.end(),
                                   [&](const auto& each) { return each.job.id == finding.job; });
  if (finding.job.empty()) return 0;
  return 1 + static_cast<std::size_t>(record - report.records.begin());
}

}  // namespace

std::span<const Check> all_checks() {
  static const std::vector<Check> kChecks = [] {
    std::vector<Check> checks;
    for (const Rule& rule : kRules) {
      if (Check check = rule.check(); !check.of_experiment) checks.push_back(std::move(check));
    }
    return checks;
  }();
  return kChecks;
}

std::vector<Finding> analyze(const Report& report) {
  std::vector<Finding> all;
  for (const Rule& rule : kRules) {
    for (Finding& finding : rule.judge(report)) all.push_back(std::move(finding));
  }
  std::stable_sort(all.begin(), all.end(), [&](const Finding& a, const Finding& b) {
    if (a.severity != b.severity) return a.severity < b.severity;
    return place_of(report, a) < place_of(report, b);
  });
  return all;
}

}  // namespace sthd::analyze
