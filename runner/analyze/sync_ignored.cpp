#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze::rules {

/// Sync writes that the filesystem is told not to make durable.
std::vector<Finding> sync_ignored(const Report& report) {
  const bool zfs = word(report, "zfs.sync") == "disabled";
  const bool barrier = word(report, "target.barrier") == "off";
  if (!zfs && !barrier) return {};
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    if (!writes(record) || record.job.workload.sync == SyncMode::none) return std::nullopt;
    const std::string dataset(word(report, "zfs.dataset"));
    return Finding{
        .code = "sync-ignored",
        .severity = Severity::invalidates,
        .job = record.job.id,
        .op = Op::write,
        .evidence = {zfs ? Evidence{"zfs.sync", std::string("disabled")}
                         : Evidence{"target.barrier", std::string("off")}},
        .mark = "sync ignored",
        .text = zfs ? "The dataset has sync=disabled: sync writes return before they are durable, "
                      "and a power cut loses them."
                    : "The filesystem is mounted without barriers: sync writes do not flush the "
                      "disk's cache, and a power cut may lose them.",
        .remedy = zfs ? fmt::format("`zfs set sync=standard {}`, then measure again.",
                                    dataset.empty() ? "DATASET" : display(dataset))
                      : "Mount it without nobarrier (barrier=0), then measure again.",
    };
  });
}

Check sync_ignored_check() { return {"sync-ignored", {Need::mount}}; }

}  // namespace sthd::analyze::rules
