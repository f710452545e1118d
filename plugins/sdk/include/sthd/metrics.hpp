#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "sthd/result.hpp"

namespace sthd {

/// A figure derived from a record, in its base unit: 1/s, bytes/s, bytes, seconds, nanoseconds,
/// I/Os (depth), percent (submit_share).
struct MetricValue {
  double value = 0;
  bool rough = false;         ///< a quantile with fewer than ten samples beyond it
  std::uint64_t samples = 0;  ///< n behind a latency figure; 0 for rates
};

/// The loops of a record merged: counts, histograms and elapsed times added, samples one after the
/// other and coarsened to kMostSamples. Both directions of a mixed job together have none: each has
/// its own series. Empty when the record has no such direction or is skipped.
std::optional<OpResult> merged(const ResultRecord& record, Op op);

/// `metric` as in a [[column]]: "iops", "bw", "bytes", "seconds", "lat.p99", "clat.mean",
/// "sync.p99_9", "response.p99"; "depth", as depth_reached(); "submit_share", the share of the
/// threads' time that was spent in submission calls. Empty = unknown (never 0). Failed and skipped
/// records have no metrics; interrupted ones do.
std::optional<MetricValue> metric(const ResultRecord& record, Op op, std::string_view name);

/// The metric of each completed repeat alone (Workload::repeat), in their order; one value where
/// nothing is repeated. Empty when there is none, or when one of them does not know it.
std::vector<double> by_repeat(const ResultRecord& record, Op op, std::string_view name);

/// What the repeats of a row say together, in the metric's base unit.
struct Spread {
  double median = 0;  ///< of an even number: the mean of the two in the middle
  double min = 0;
  double max = 0;
  std::size_t repeats = 0;    ///< those behind it
  bool rough = false;         ///< a quantile that is rough in one of them
  std::uint64_t samples = 0;  ///< n of the repeat that has the fewest; 0 for rates

  /// Half of the range, in percent of the median; 0 for a median of 0.
  [[nodiscard]] double half_range_percent() const;
};

/// Of by_repeat(). Empty when that is.
std::optional<Spread> spread(const ResultRecord& record, Op op, std::string_view name);

/// Which of by_repeat() stands for a row whose Workload::score is max: the one with the most I/Os a
/// second, over both directions of a mixed row; with the most bytes a second where I/Os were not
/// counted. Empty when by_repeat() is.
std::optional<std::size_t> best_repeat(const ResultRecord& record);

/// The figure that stands for a row: where it has repeats and each of them knows it, their median,
/// or with Workload::score max that of best_repeat(), so that all figures of a row are of one
/// repeat; metric() otherwise.
std::optional<MetricValue> typical(const ResultRecord& record, Op op, std::string_view name);

/// Whether `name` is a metric at all.
bool is_metric(std::string_view name);

/// Whether less of a metric is better: of latencies, seconds and submit_share.
bool lower_is_better(std::string_view name);

/// The quantile of "p50", "p99", "p99_9", "p99_99" (0.5, 0.99, …), or nothing.
std::optional<double> quantile_of(std::string_view name);

/// Whether the kernel served the I/Os one at a time while they were being submitted. io_submit does
/// buffered I/O to its end before it returns; elsewhere more than half of the mean latency was
/// spent in the submission, where the I/Os of a batch wait for each other.
bool served_in_submission(const ResultRecord& record, Op op);

/// Mean I/Os the kernel had in work, by Little's law (L = λW; J. D. C. Little, Operations Research
/// 9(3), 1961): IOPS × mean latency, and the syncs' rate × mean time, over the time in which I/O
/// was submitted (end_fsync left out). I/Os served in their submission count there as at most one
/// per thread, min(threads, IOPS × mean slat): the latency of a batch holds the wait for the I/Os
/// before. What is left of them is IOPS × mean clat, and nothing for buffered libaio, where it is
/// the wait to be reaped. Empty without latencies.
std::optional<double> depth_reached(const ResultRecord& record, Op op);

/// A counter ("zil.slog_bytes", "host.steal_ns") summed over all loops; empty when there is no
/// loop, or one of them does not know it.
std::optional<double> counter_total(const ResultRecord& record, std::string_view name);

/// The counter "disk.N.<name>" ("write_bytes", "flush_ios") summed over all loops and all leaf
/// disks, or over those loops of disk `disk` alone. Empty when no disk was counted, or one of them
/// does not know it.
std::optional<double> disk_total(const ResultRecord& record, std::string_view name,
                                 std::optional<std::size_t> disk = std::nullopt);

/// How many leaf disks were counted: those with a "disk.N.name", N from 0 on.
std::size_t disk_count(const ResultRecord& record);

/// Mean time that the leaf disks (or disk `disk` alone) took for an I/O of this direction, ns:
/// ticks ÷ ios over all loops, everybody's I/O included. Flushes are apart; mixed is both
/// directions. Empty when not counted, or when there was no such I/O.
std::optional<double> device_mean_ns(const ResultRecord& record, Op op,
                                     std::optional<std::size_t> disk = std::nullopt);
/// The same of a flush.
std::optional<double> device_flush_mean_ns(const ResultRecord& record,
                                           std::optional<std::size_t> disk = std::nullopt);

/// Bytes that the leaf disks moved in this direction over all loops; mixed is both.
std::optional<double> device_bytes(const ResultRecord& record, Op op);

/// Bytes that the job itself moved in this direction over all loops; mixed is both. Empty when it
/// has no such direction, or no figures.
std::optional<double> job_bytes(const ResultRecord& record, Op op);

}  // namespace sthd
