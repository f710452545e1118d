#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/ram_reads.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

std::string text(const Report& report, const ResultRecord& record) {
  if (is_ram(report.target)) {
    return fmt::format("{} keeps its files in RAM: these reads came from there.",
                       report.target.filesystem);
  }
  if (!record.resolution.direct_effective) {
    return "Whether O_DIRECT went past the cache is not known: some of these reads may have come "
           "from RAM.";
  }
  // Of the states reached alike in every loop, the first loop's.
  const CacheState cache = record.loops.front().cache;
  if (cache.asked == CacheMode::warm && !cache.reached_by.empty()) {
    return "The reads were buffered and the file had been read before: they may have come from "
           "RAM.";
  }
  if (cache.asked == CacheMode::cold && cache_held(record)) {
    return "The reads were buffered: the cache was emptied first, but what was read twice may "
           "have come from RAM.";
  }
  if (cache.asked == CacheMode::cold) {
    return fmt::format(
        "The reads were buffered, and whether the cache was empty before is not known{}: some or "
        "all may have come from RAM.",
        cache.reached_by.empty() ? "" : " (asked for by " + cache.reached_by + ")");
  }
  return "The reads were buffered: some or all may have come from RAM.";
}

}  // namespace

namespace rules {

/// Reads went through the cache, and no counter says how many reached the device. Where the cache
/// was not even in the state asked for, cache_not_reached says so, and more; where the devices were
/// counted, cached_reads knows.
std::vector<Finding> buffered_reads(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto read = cacheable_reads(record);
    if (!read || cache_missed(record) || device_share(record, Op::read)) return std::nullopt;
    const auto& direct = record.resolution.direct_effective;
    if (!direct && report.target.filesystem.empty()) return std::nullopt;  // nothing is known
    Finding finding{
        .code = "cached-reads-possible",
        .severity = Severity::note,
        .job = record.job.id,
        .op = Op::read,
        .evidence = {{"read_bytes", static_cast<double>(read->bytes)}},
        .mark = "buffered: may be RAM",
        .text = text(report, record),
        .remedy = remedy_for_ram_reads(report, record),
    };
    if (const std::uint64_t size = record.job.workload.size; size > 0) {
      finding.evidence.push_back({"file_bytes", static_cast<double>(size)});
    }
    if (report.environment.memory_bytes) {
      finding.evidence.push_back(
          {"memory_bytes", static_cast<double>(*report.environment.memory_bytes)});
    }
    return finding;
  });
}

Check buffered_reads_check() { return {"cached-reads-possible", {Need::direct}}; }

}  // namespace rules

}  // namespace sthd::analyze
