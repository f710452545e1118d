#pragma once

#include "runner/analyze/measured.hpp"

// What slog_slow_host and slog_slower_than_pool have in common.
namespace sthd::analyze {

inline constexpr double kFewIos = 100;  // fewer do not make a mean

/// Flushes for each write to a disk, at most 1; 0 where they are not counted.
inline double flushes_a_write(const ResultRecord& record, std::size_t disk) {
  const auto ios = disk_total(record, "write_ios", disk);
  const auto flushes = disk_total(record, "flush_ios", disk);
  return ios && flushes && *ios > 0 ? std::min(1.0, *flushes / *ios) : 0;
}

/// Mean time of a write to one disk and of `flushes` flushes of it (as many as it had itself where
/// none are given), where there were enough writes; ns.
inline std::optional<double> commit_mean_ns(const ResultRecord& record, std::size_t disk,
                                            std::optional<double> flushes = std::nullopt) {
  const auto ios = disk_total(record, "write_ios", disk);
  const auto write = device_mean_ns(record, Op::write, disk);
  if (!ios || !write || *ios < kFewIos) return std::nullopt;
  const double each = flushes.value_or(flushes_a_write(record, disk));
  return *write + device_flush_mean_ns(record, disk).value_or(0) * each;
}

/// The slowest of a role's disks: mirrors wait for all of them. `flushes` as above.
inline std::optional<double> slowest_commit_ns(const Report& report, const ResultRecord& record,
                                               std::string_view role,
                                               std::optional<double> flushes = std::nullopt) {
  std::optional<double> slowest;
  for (const std::size_t disk : disks_of(report, role)) {
    const auto mean = commit_mean_ns(record, disk, flushes);
    if (mean) slowest = std::max(slowest.value_or(0), *mean);
  }
  return slowest;
}

}  // namespace sthd::analyze
