#include "runner/compare/match.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sthd::compare {
namespace {

const ResultRecord* find_row(const Report& report, const std::string& id) {
  const auto found = std::find_if(report.records.begin(), report.records.end(),
                                  [&id](const ResultRecord& row) { return row.job.id == id; });
  return found == report.records.end() ? nullptr : &*found;
}

bool has_figures(const ResultRecord& row) {
  return row.status == Status::ok || row.status == Status::interrupted;
}

/// "skipped in after: tmpfs has no O_DIRECT".
std::string without_figures(const ResultRecord& row, const std::string& label) {
  std::string text = fmt::format("{} in {}", to_text(row.status), label);
  if (row.reason) text += ": " + *row.reason;
  return text;
}

/// Why the first side's row and another's are not compared; empty when they are.
std::string refusal(const ResultRecord& first, const ResultRecord* other,
                    const std::string& first_label, const std::string& other_label) {
  if (other == nullptr) return "not in " + other_label;
  if (!has_figures(*other)) return without_figures(*other, other_label);
  return work_difference(first.job.workload, other->job.workload, first_label, other_label);
}

void match_row(const Input& input, const ResultRecord& first, Matches& found) {
  if (!has_figures(first)) {
    found.others.push_back({first.job.label, without_figures(first, input.labels.front())});
    return;
  }
  Match match{{&first}};
  bool any = false;
  for (std::size_t side = 1; side < input.reports.size(); ++side) {
    const ResultRecord* other = find_row(input.reports[side], first.job.id);
    const std::string reason = refusal(first, other, input.labels.front(), input.labels[side]);
    if (!reason.empty()) found.others.push_back({first.job.label, reason});
    match.sides.push_back(reason.empty() ? other : nullptr);
    any = any || reason.empty();
  }
  if (any) found.rows.push_back(std::move(match));
}

/// Rows that the first side does not have.
void add_later_rows(const Input& input, Matches& found) {
  for (std::size_t side = 1; side < input.reports.size(); ++side) {
    for (const ResultRecord& row : input.reports[side].records) {
      if (find_row(input.reports.front(), row.job.id) != nullptr) continue;
      found.others.push_back({row.job.label, "only in " + input.labels[side]});
    }
  }
}

}  // namespace

Matches match_rows(const Input& input) {
  Matches found;
  if (input.reports.empty()) return found;
  for (const ResultRecord& first : input.reports.front().records) match_row(input, first, found);
  add_later_rows(input, found);
  return found;
}

}  // namespace sthd::compare
