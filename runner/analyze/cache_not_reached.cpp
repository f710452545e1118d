#include <fmt/format.h>

#include "runner/analyze/ram_reads.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

/// The first loop whose cache was not as asked.
const CacheState* missed(const ResultRecord& record) {
  for (const LoopResult& loop : record.loops) {
    if (loop.cache.asked != CacheMode::as_is && loop.cache.verified == false) return &loop.cache;
  }
  return nullptr;
}

std::string cold_text(const Report& report, const CacheState& cache) {
  if (is_ram(report.target)) {
    return fmt::format(
        "A cold cache was asked for, but {} keeps its files in RAM: these reads came from there.",
        report.target.filesystem);
  }
  if (cache.reached_by.empty()) {
    return "A cold cache was asked for and could not be had: some or all of these reads may have "
           "come from RAM.";
  }
  return fmt::format(
      "A cold cache was asked for, but parts of the file stayed in RAM ({}): some or all of these "
      "reads may have come from there.",
      cache.reached_by);
}

}  // namespace

namespace rules {

/// The cache was not in the state that the job declares, and reads went through it.
std::vector<Finding> cache_not_reached(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto read = cacheable_reads(record);
    const CacheState* cache = missed(record);
    if (!read || cache == nullptr) return std::nullopt;
    Finding finding{
        .code = "cache-not-reached",
        .severity = Severity::note,
        .job = record.job.id,
        .op = Op::read,
        .evidence = {{"cache_asked", std::string(to_text(cache->asked))},
                     {"cache_reached_by", cache->reached_by},
                     {"read_bytes", static_cast<double>(read->bytes)},
                     {"file_bytes", static_cast<double>(record.job.workload.size)}},
        .mark = "cache not warm",
        .text =
            "A warm cache was asked for, but not all of the file was in RAM: these reads came "
            "partly from RAM, partly from the device.",
        .remedy = "Use a file that fits into RAM: --size.",
    };
    if (cache->asked == CacheMode::cold) {
      finding.severity = Severity::suspect;
      finding.mark = "cache not cold";
      finding.text = cold_text(report, *cache);
      finding.remedy = remedy_for_ram_reads(report, record);
    }
    return finding;
  });
}

Check cache_not_reached_check() { return {"cache-not-reached", {}}; }

}  // namespace rules

}  // namespace sthd::analyze
