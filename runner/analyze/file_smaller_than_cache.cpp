#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/ram_reads.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

constexpr double kFromDevice = 0.9;  // the reads were served by the device all the same

/// What can hold the file: the ARC at its largest, or RAM, or what the cgroup allows of it.
std::optional<double> cache_bytes(const Report& report) {
  const auto all =
      on_zfs(report) ? number(report, "arc.max_bytes") : number(report, "memory.total_bytes");
  const auto allowed = number(report, "cgroup.memory_max_bytes");
  if (all && allowed && !on_zfs(report)) return std::min(*all, *allowed);
  return all;
}

}  // namespace

namespace rules {

/// Buffered reads of a file that RAM can hold whole.
std::vector<Finding> file_smaller_than_cache(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto cache = cache_bytes(report);
    const auto size = static_cast<double>(record.job.workload.size);
    if (!cache || !cacheable_reads(record) || is_ram(report.target) || size == 0 ||
        size >= *cache) {
      return std::nullopt;
    }
    if (device_share(record, Op::read).value_or(0) >= kFromDevice) return std::nullopt;
    return Finding{
        .code = "file-smaller-than-cache",
        .severity = Severity::note,
        .job = record.job.id,
        .op = Op::read,
        .evidence = {{"file_bytes", size}, {"cache_bytes", *cache}},
        .text =
            fmt::format("The file ({}) fits into {} ({}), so buffered reads need no device.",
                        human_size(record.job.workload.size), on_zfs(report) ? "the ARC" : "RAM",
                        human_size(static_cast<std::uint64_t>(*cache))),
        .remedy = remedy_for_ram_reads(report, record),
    };
  });
}

Check file_smaller_than_cache_check() { return {"file-smaller-than-cache", {Need::memory}}; }

}  // namespace rules

}  // namespace sthd::analyze
