#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/metrics.hpp"
#include "sthd/report.hpp"

// What several rules ask of a report. Each answer is empty where the report does not tell.
namespace sthd::analyze {

/// Moved too little for a share of it to mean anything: readahead and metadata weigh as much.
inline constexpr double kFewBytes = 1 << 20;

inline std::optional<double> number(const Report& report, std::string_view name) {
  return fact_number(report.facts, name);
}
/// The fact's text; "" where there is none.
inline std::string_view word(const Report& report, std::string_view name) {
  return fact_text(report.facts, name).value_or("");
}

/// The direction of a finding about all of a row: none where there are two.
inline std::optional<Op> direction(const ResultRecord& record) {
  const Op op = record.job.workload.op;
  return op == Op::mixed ? std::nullopt : std::optional(op);
}
inline bool reads(const ResultRecord& record) { return record.job.workload.op != Op::write; }
inline bool writes(const ResultRecord& record) { return record.job.workload.op != Op::read; }

/// Bytes that the leaf disks moved for each that the job moved; empty where not counted, or where
/// the job moved next to nothing.
inline std::optional<double> device_share(const ResultRecord& record, Op op) {
  const auto device = device_bytes(record, op);
  const auto job = job_bytes(record, op);
  if (!device || !job || *job < kFewBytes) return std::nullopt;
  return *device / *job;
}

inline bool on_zfs(const Report& report) { return report.target.filesystem == "zfs"; }

/// The target compresses what it is given; empty where unknown.
inline std::optional<bool> compresses(const Report& report) {
  const std::string_view text = word(report, "target.compression");
  if (!text.empty()) return text != "off";
  const std::string_view zfs = word(report, "zfs.compression");
  return zfs.empty() ? std::nullopt : std::optional(zfs != "off");
}
/// Zeros that the target may have compressed away: then bytes of device and job do not compare.
inline bool may_vanish(const Report& report, const ResultRecord& record) {
  return record.job.workload.buffer == BufferKind::zeros && compresses(report).value_or(true);
}

/// The dataset drops whatever asks for durability.
inline bool syncs_dropped(const Report& report) { return word(report, "zfs.sync") == "disabled"; }

/// Each write is to be durable before it returns, and is waited for.
inline bool writes_durably(const Report& report, const ResultRecord& record) {
  return writes(record) && !syncs_dropped(report) &&
         (record.job.workload.sync != SyncMode::none || word(report, "zfs.sync") == "always");
}

/// One I/O at a time: what it takes is what the caller waits.
inline bool one_at_a_time(const ResultRecord& record) {
  return record.job.workload.queue_depth == 1 && record.job.workload.threads == 1;
}

/// Mean time of an I/O as the caller sees it, the fsync after it included where each has one.
inline std::optional<double> application_mean_ns(const ResultRecord& record, Op op) {
  const auto result = merged(record, op);
  if (!result || result->lat.count() == 0 || result->ios == 0) return std::nullopt;
  double sum = static_cast<double>(result->lat.sum_ns());
  const SyncMode sync = record.job.workload.sync;
  if (sync == SyncMode::fsync || sync == SyncMode::fdatasync) {
    if (!result->sync || result->sync->count() == 0) return std::nullopt;
    sum += static_cast<double>(result->sync->sum_ns());
  }
  return sum / static_cast<double>(result->lat.count());
}

/// Start barrier to last completion, all loops, s; 0 where nothing was measured.
inline double window_s(const ResultRecord& record) {
  const auto result = merged(record, record.job.workload.op);
  return result ? static_cast<double>(result->elapsed_ns) / 1e9 : 0;
}

inline std::string disk_key(std::size_t disk, std::string_view name) {
  return "disk." + std::to_string(disk) + "." + std::string(name);
}
/// How many leaf disks the facts name.
inline std::size_t disks_of(const Report& report) {
  std::size_t count = 0;
  while (!word(report, disk_key(count, "name")).empty()) ++count;
  return count;
}
/// Those of a role ("data", "log").
inline std::vector<std::size_t> disks_of(const Report& report, std::string_view role) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < disks_of(report); ++i) {
    if (word(report, disk_key(i, "role")) == role) found.push_back(i);
  }
  return found;
}
/// All leaf disks have this text in a fact; no where one does not tell.
inline bool all_disks(const Report& report, std::string_view name, std::string_view text) {
  const std::size_t count = disks_of(report);
  for (std::size_t i = 0; i < count; ++i) {
    if (word(report, disk_key(i, name)) != text) return false;
  }
  return count > 0;
}

/// A layer of this kind ("loop") lies between the target and its disks.
inline bool has_layer(const Report& report, std::string_view kind) {
  for (std::size_t i = 0;; ++i) {
    const std::string_view found = word(report, "chain." + std::to_string(i) + ".kind");
    if (found.empty()) return false;
    if (found == kind) return true;
  }
}

/// Bytes of the job's reads that storage served, as the kernel says, whichever disk it was. Empty
/// where that proves nothing: below a loop device there may be another cache, and OpenZFS up to 2.1
/// counts what comes from its ARC as well.
inline std::optional<double> storage_read_bytes(const Report& report, const ResultRecord& record) {
  if (on_zfs(report) || has_layer(report, "loop") || has_layer(report, "zfs")) return std::nullopt;
  return counter_total(record, "own.read_bytes");
}

/// Whether the pool has a log device; empty where its layout is not known.
inline std::optional<bool> has_log(const Report& report) {
  if (!on_zfs(report) || word(report, "zfs.data.0.name").empty()) return std::nullopt;
  return !word(report, "zfs.log.0.name").empty() || !disks_of(report, "log").empty();
}

/// What the ZFS intent log did during a row, in bytes.
struct ZilBytes {
  double log = 0;       ///< written to the log device
  double pool = 0;      ///< log blocks on the data disks
  double indirect = 0;  ///< written in place, the log holds a pointer
};
/// Empty where not counted.
inline std::optional<ZilBytes> zil_of(const ResultRecord& record) {
  const auto log = counter_total(record, "zil.slog_bytes");
  const auto pool = counter_total(record, "zil.normal_bytes");
  const auto indirect = counter_total(record, "zil.indirect_bytes");
  if (!log || !pool || !indirect) return std::nullopt;
  return ZilBytes{*log, *pool, *indirect};
}

/// The log device took most of it.
inline bool log_took(const ZilBytes& zil) { return zil.log > zil.pool + zil.indirect; }

/// I/Os a second in `parts` equal spans of a loop's time series; a slice counts in proportion.
/// Empty for a loop without a series.
inline std::vector<double> rates_of(const OpResult& result, std::size_t parts) {
  if (result.samples.empty() || result.samples.back().at_ns == 0) return {};
  const double span = static_cast<double>(result.samples.back().at_ns) / static_cast<double>(parts);
  std::vector<double> rates(parts, 0);
  double begin = 0;
  for (const Sample& sample : result.samples) {
    const auto end = static_cast<double>(sample.at_ns);
    for (auto i = static_cast<std::size_t>(begin / span); i < parts && end > begin; ++i) {
      const double low = std::max(begin, span * static_cast<double>(i));
      const double high = std::min(end, span * static_cast<double>(i + 1));
      if (high <= low) break;
      rates[i] += static_cast<double>(sample.ios) * (high - low) / (end - begin);
    }
    begin = end;
  }
  for (double& rate : rates) rate *= 1e9 / span;
  return rates;
}

inline double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}
/// Standard deviation ÷ mean; empty for fewer than two values or a mean of 0.
inline std::optional<double> variation(const std::vector<double>& values) {
  const double mean = mean_of(values);
  if (values.size() < 2 || mean <= 0) return std::nullopt;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
}

}  // namespace sthd::analyze
