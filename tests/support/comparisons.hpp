#pragma once

#include <string>
#include <vector>

#include "sthd/comparison.hpp"
#include "sthd/report.hpp"
#include "support/staged_reports.hpp"

namespace sthd::test {

/// Records with what compares them, and a name that is good for a file.
struct CannedComparison {
  std::string name;
  std::vector<Report> reports;
  Comparison comparison;
};

/// Two records of five rows: worse, better, none shown, of another block size, and only in one.
Labelled before_and_after();

/// The published before/after tables, and comparisons that are empty, hostile and huge.
std::vector<CannedComparison> canned_comparisons();

}  // namespace sthd::test
