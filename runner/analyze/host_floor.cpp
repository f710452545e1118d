#include <fmt/format.h>

#include <algorithm>

#include "runner/analyze/effects.hpp"
#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze::rules {

/// The same writes were also done to tmpfs: what they take there is the machine's own cost.
std::vector<Finding> host_floor(const Report& report) {
  const auto floor = number(report, "floor.mean_ns");
  if (!floor) return {};
  const auto same = std::find_if(
      report.records.begin(), report.records.end(), [&report](const ResultRecord& record) {
        const Workload& w = record.job.workload;
        return record.status == Status::ok && w.op == Op::write && one_at_a_time(record) &&
               w.condition == Condition::as_is && word(report, "floor.sync") == to_text(w.sync) &&
               number(report, "floor.block_size_bytes") == static_cast<double>(w.block_size);
      });
  if (same == report.records.end()) return {};
  const auto mean = application_mean_ns(*same, Op::write);
  if (!mean) return {};
  return {{.code = "host-floor",
           .severity = Severity::note,
           .job = same->job.id,
           .op = Op::write,
           .evidence = {{"floor_mean_ns", *floor}, {"application_mean_ns", *mean}},
           .text = fmt::format(
               "The same {} to tmpfs take {:.1f} us: that is what this machine alone costs of the "
               "{:.1f} us.",
               workload_name(same->job.workload), *floor / 1e3, *mean / 1e3)}};
}

Check host_floor_check() { return {"host-floor", {}, true}; }

}  // namespace sthd::analyze::rules
