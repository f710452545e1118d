#include "runner/app/table_rows.hpp"

#include <algorithm>

namespace sthd::app {

std::size_t complete_rows(const Report& report) {
  const auto& jobs = report.plan.jobs;
  std::vector<std::string> labels;
  for (const Job& job : jobs) {
    if (std::find(labels.begin(), labels.end(), job.label) == labels.end())
      labels.push_back(job.label);
  }
  const auto finished = [&](const Job& job) {
    return std::any_of(report.records.begin(), report.records.end(),
                       [&](const ResultRecord& record) { return record.job.id == job.id; });
  };
  std::size_t complete = 0;
  for (const auto& label : labels) {
    const bool whole = std::all_of(jobs.begin(), jobs.end(), [&](const Job& job) {
      return job.label != label || finished(job);
    });
    if (!whole) break;
    ++complete;
  }
  return complete;
}

}  // namespace sthd::app
