#pragma once

#include <optional>
#include <vector>

#include "runner/analyze/needs.hpp"
#include "sthd/finding.hpp"
#include "sthd/metrics.hpp"
#include "sthd/report.hpp"

// A rule is one file here, runner/analyze/<name>.cpp, that defines
//   std::vector<Finding> sthd::analyze::rules::<name>(const Report& report);
//   Check sthd::analyze::rules::<name>_check();
// The build lists the files, so nothing else has to be edited. A rule is a pure function of the
// report: it claims no more than the numbers in it allow, and says nothing where they are missing.
// Its check names its code, and what a report must hold for it to say anything.
namespace sthd::analyze {

using Findings = std::vector<Finding>;

/// What `judge(record)` (std::optional<Finding>) says of each record that measured something: those
/// that are ok or interrupted.
template <class F>
Findings each_measured(const Report& report, F judge) {
  Findings findings;
  for (const ResultRecord& record : report.records) {
    if (record.status != Status::ok && record.status != Status::interrupted) continue;
    if (std::optional<Finding> finding = judge(record)) findings.push_back(std::move(*finding));
  }
  return findings;
}

}  // namespace sthd::analyze
