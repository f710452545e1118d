#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "sthd/metrics.hpp"
#include "sthd/report.hpp"

// What the two rules on reads from RAM, buffered_reads and cache_not_reached, have in common.
namespace sthd::analyze {

/// The reads of a record that may have gone through a cache. Empty where there are none.
inline std::optional<OpResult> cacheable_reads(const ResultRecord& record) {
  if (record.resolution.direct_effective == true) return std::nullopt;
  auto read = merged(record, Op::read);
  if (!read || read->bytes == 0) return std::nullopt;
  return read;
}

/// In some loop the cache is known not to have been in the state asked for.
inline bool cache_missed(const ResultRecord& record) {
  return std::any_of(record.loops.begin(), record.loops.end(), [](const LoopResult& loop) {
    return loop.cache.asked != CacheMode::as_is && loop.cache.verified == false;
  });
}

/// In every loop the cache is known to have been in the state asked for.
inline bool cache_held(const ResultRecord& record) {
  return std::all_of(record.loops.begin(), record.loops.end(),
                     [](const LoopResult& loop) { return loop.cache.verified == true; });
}

/// No device is behind the target: no size and no flag makes it read from one.
inline bool is_ram(const Target& target) {
  return target.filesystem == "tmpfs" || target.filesystem == "ramfs" ||
         target.filesystem == "hugetlbfs";
}

/// How to read from the device instead.
inline std::string remedy_for_ram_reads(const Report& report, const ResultRecord& record) {
  if (is_ram(report.target)) return "Test a directory on the disk in question.";
  const Workload& workload = record.job.workload;
  const bool could = workload.direct == DirectMode::off;
  const std::string& why = record.resolution.direct_reason;
  const std::string cannot = why.empty() ? std::string("O_DIRECT is not known to work here")
                                         : fmt::format("O_DIRECT does not help here ({})", why);
  const auto memory = report.environment.memory_bytes;
  if (memory && workload.size > *memory) {
    const double share = 100.0 * static_cast<double>(*memory) / static_cast<double>(workload.size);
    return fmt::format("{}; the file is larger than RAM already, and at most {:.0f} % of it fits.",
                       could ? "Use --direct" : cannot, share);
  }
  std::string out = could ? "Use --direct, or" : cannot + ": use";
  out += " a file larger than RAM";
  if (!memory) return out + ".";
  return fmt::format("{}: --size {}GiB.", out, *memory / kGiB * 2 + 2);  // twice, rounded up
}

}  // namespace sthd::analyze
