#pragma once

#include "runner/analyze/measured.hpp"
#include "runner/analyze/ram_reads.hpp"

namespace sthd::analyze {

/// Every leaf disk keeps its data in RAM.
inline bool disks_in_ram(const Report& report) { return all_disks(report, "transport", "ram"); }

/// Whether the writes of a row that asks for it were seen to be made durable. FUA writes are not
/// counted by the kernel, so where a disk has FUA, no flush proves nothing; the same holds for a
/// disk that says it has no volatile cache. Rows that ask for nothing are unknown.
inline Durability durability_of(const Report& report, const ResultRecord& record) {
  const Workload& workload = record.job.workload;
  const bool asks = workload.sync != SyncMode::none || workload.end_fsync;
  if (syncs_dropped(report) && writes(record) && asks) return Durability::not_shown;
  if (!writes_durably(report, record) && !(writes(record) && workload.end_fsync)) {
    return Durability::unknown;
  }
  const auto bytes = job_bytes(record, Op::write);
  if (!bytes || *bytes <= 0) return Durability::unknown;
  if (is_ram(report.target) || disks_in_ram(report)) return Durability::not_shown;
  const auto flushes = disk_total(record, "flush_ios");
  if (!flushes) return Durability::unknown;
  if (*flushes > 0) return Durability::shown;
  const bool needs = all_disks(report, "write_cache", "write back");
  return needs && all_disks(report, "fua", "no") ? Durability::not_shown : Durability::unknown;
}

}  // namespace sthd::analyze
