#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sthd/comparison.hpp"
#include "sthd/report.hpp"

namespace sthd::compare {

/// What is compared: records and what they are called, one label a record. Borrowed.
struct Input {
  std::span<const Report> reports;
  std::span<const std::string> labels;
};

/// A row of the first side and what is comparable with it on the others.
struct Match {
  std::vector<const ResultRecord*> sides;  ///< one a side; nullptr = not compared

  [[nodiscard]] const ResultRecord& first() const { return *sides.front(); }
};

struct Matches {
  std::vector<Match> rows;  ///< those that another side has too
  std::vector<NotCompared> others;
};

/// Pairs the rows by job id, in the order of the first side.
Matches match_rows(const Input& input);

/// In what two workloads are not the same work: "block_size 4096 in before, 8192 in after". Empty
/// where they are: how long, how often and on how large a file it is done is not looked at.
std::string work_difference(const Workload& first, const Workload& other,
                            const std::string& first_label, const std::string& other_label);

/// Whether two sides did the same amount of it, so that their seconds and bytes can be compared.
bool same_amount(const Workload& first, const Workload& other);

}  // namespace sthd::compare
