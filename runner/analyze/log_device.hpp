#pragma once

#include "runner/analyze/measured.hpp"

// What slog_slow_host and slog_slower_than_pool have in common.
namespace sthd::analyze {

inline constexpr double kFewIos = 100;  // fewer do not make a mean

/// Mean time of a write to one disk and of its flush, where there were enough; ns.
inline std::optional<double> commit_mean_ns(const ResultRecord& record, std::size_t disk) {
  const auto ios = disk_total(record, "write_ios", disk);
  const auto write = device_mean_ns(record, Op::write, disk);
  if (!ios || !write || *ios < kFewIos) return std::nullopt;
  const auto flushes = disk_total(record, "flush_ios", disk);
  const auto flush = device_flush_mean_ns(record, disk);
  if (!flushes || !flush) return *write;
  return *write + *flush * std::min(1.0, *flushes / *ios);
}

/// The slowest of a role's disks: mirrors wait for all of them.
inline std::optional<double> slowest_commit_ns(const Report& report, const ResultRecord& record,
                                               std::string_view role) {
  std::optional<double> slowest;
  for (const std::size_t disk : disks_of(report, role)) {
    const auto mean = commit_mean_ns(record, disk);
    if (mean) slowest = std::max(slowest.value_or(0), *mean);
  }
  return slowest;
}

}  // namespace sthd::analyze
