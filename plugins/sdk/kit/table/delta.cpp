#include "kit/table/delta.hpp"

#include <algorithm>

#include "sthd/metrics.hpp"

namespace sthd::table {

std::optional<double> ours_vs_fio_percent(const Report& report, const ResultRecord& twin, Op op) {
  if (twin.job.checks.empty() || twin.status != Status::ok) return std::nullopt;
  const auto& records = report.records;
  const auto ours = std::find_if(
      records.begin(), records.end(),
      [&twin](const ResultRecord& record) { return record.job.id == twin.job.checks; });
  if (ours == records.end() || ours->status != Status::ok) return std::nullopt;
  const auto our_rate = typical(*ours, op, "iops");
  const auto fio_rate = typical(twin, op, "iops");
  if (!our_rate || !fio_rate || fio_rate->value <= 0) return std::nullopt;
  return (our_rate->value / fio_rate->value - 1) * 100;
}

std::vector<DeltaColumn> delta_columns(const Report& report) {
  std::vector<DeltaColumn> columns;
  for (const Op op : {Op::read, Op::write}) {
    const auto checks_it = [op](const Job& job) {
      return !job.checks.empty() && (job.workload.op == op || job.workload.op == Op::mixed);
    };
    const auto& jobs = report.plan.jobs;
    if (std::any_of(jobs.begin(), jobs.end(), checks_it)) {
      columns.push_back({op, "ours vs fio (%)"});
    }
  }
  if (columns.size() < 2) return columns;
  columns[0].title = "Read vs fio (%)";
  columns[1].title = "Write vs fio (%)";
  return columns;
}

}  // namespace sthd::table
