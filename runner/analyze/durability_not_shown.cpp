#include <fmt/format.h>

#include "runner/analyze/durability.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze::rules {

/// Sync writes, and nothing that would make them durable reached a disk.
std::vector<Finding> durability_not_shown(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    if (!writes_durably(report, record)) return std::nullopt;
    if (durability_of(report, record) != Durability::not_shown) return std::nullopt;
    Finding finding{
        .code = "durability-not-shown",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = Op::write,
        .evidence = {{"job_write_bytes", *job_bytes(record, Op::write)}},
        .mark = "durability not shown",
        .text =
            "The writes were to be durable, and no flush reached a disk whose cache is "
            "volatile: likely a power cut loses them.",
        .remedy =
            "Look for a layer that drops flushes: sync=disabled, nobarrier, a hypervisor's "
            "cache=unsafe.",
    };
    if (const auto flushes = disk_total(record, "flush_ios")) {
      finding.evidence.push_back({"flush_ios", *flushes});
    }
    if (is_ram(report.target) || disks_in_ram(report)) {
      finding.text = fmt::format("{} is RAM: a sync write here is never durable.",
                                 is_ram(report.target) ? report.target.filesystem : "The disk");
      finding.remedy = "Test a directory on the disk in question.";
    }
    return finding;
  });
}

Check durability_not_shown_check() { return {"durability-not-shown", {Need::flushes}}; }

}  // namespace sthd::analyze::rules
