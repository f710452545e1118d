#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sthd/facts.hpp"
#include "sthd/histogram.hpp"
#include "sthd/job.hpp"
#include "sthd/resolution.hpp"

namespace sthd {

enum class Status { ok, skipped, failed, interrupted };
template <>
inline constexpr std::array<std::string_view, 4> kEnumTexts<Status>{"ok", "skipped", "failed",
                                                                    "interrupted"};

/// Most samples kept of a loop: more are coarsened by merging neighbours.
inline constexpr std::size_t kMostSamples = 600;

/// One direction in one slice of the measured window (Workload::sample_ns, or coarser after
/// merging).
struct Sample {
  std::uint64_t at_ns = 0;  ///< end of the slice, from the start barrier
  std::uint64_t ios = 0;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> max_ns;  ///< longest latency; unset = not known, or no I/O ended
  CoarseBins lat;                       ///< of these I/Os; empty where the backend cannot tell
};

/// Adds the slice that follows `into` to it.
void merge(Sample& into, const Sample& next);
/// Merges neighbours in pairs until at most `most` are left; nothing is lost but resolution.
void coarsen(std::vector<Sample>& samples, std::size_t most = kMostSamples);

/// One direction (read or write) of one loop. Every I/O issued in the window is in it.
struct OpResult {
  std::uint64_t bytes = 0;
  std::uint64_t ios = 0;
  std::uint64_t elapsed_ns = 0;  ///< start barrier to last completion, end_fsync included
  LatencyHistogram lat;  ///< submit to completion; empty (count 0) where the backend cannot tell
  std::optional<LatencyHistogram> slat;  ///< the submission itself
  std::optional<LatencyHistogram> clat;  ///< end of submission to completion
  std::optional<LatencyHistogram> sync;  ///< fsync/fdatasync calls, apart from the writes
  /// With Workload::rate_iops: from the moment the I/O was due to its completion, its wait for a
  /// free slot included. `lat` is the service time beside it.
  std::optional<LatencyHistogram> response;
  std::vector<Sample> samples;
};

struct ThreadResult {
  std::uint32_t thread = 0;
  Op op = Op::read;
  std::uint64_t bytes = 0;
  std::uint64_t ios = 0;
  std::uint64_t elapsed_ns = 0;           ///< start barrier to this thread's last completion
  std::optional<std::uint64_t> first_ns;  ///< start barrier to its first completion
};

/// The declared cache state and how it was reached.
struct CacheState {
  CacheMode asked = CacheMode::as_is;
  std::string
      reached_by;  ///< "posix_fadvise(DONTNEED)", "read once", "O_DIRECT"; empty = nothing was done
  std::optional<bool> verified;
};

struct CpuUse {
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::optional<std::uint64_t> voluntary_switches;  ///< unset = not known, as in all sums with it
  std::optional<std::uint64_t> involuntary_switches;

  /// A sum begins with both kinds of switches at 0.
  CpuUse& operator+=(const CpuUse& more) noexcept {
    const auto add = [](std::optional<std::uint64_t>& sum, std::optional<std::uint64_t> part) {
      sum = sum && part ? std::optional(*sum + *part) : std::nullopt;
    };
    user_ns += more.user_ns;
    system_ns += more.system_ns;
    add(voluntary_switches, more.voluntary_switches);
    add(involuntary_switches, more.involuntary_switches);
    return *this;
  }
};

/// One loop of a job, as a Backend returns it.
struct LoopResult {
  std::uint32_t repeat = 0;  ///< which of Workload::repeat, from 0 on. Filled by the runner
  std::optional<OpResult> read;
  std::optional<OpResult> write;
  std::vector<ThreadResult> per_thread;
  CacheState cache;  ///< filled by the runner
  std::optional<CpuUse> cpu;
  std::optional<std::uint64_t> end_fsync_ns;
  /// Spent in submission calls, summed over all threads; unset where submission and completion are
  /// one call.
  std::optional<std::uint64_t> submit_ns;
  /// Most of the kernel's own I/O threads (io-wq) seen at work for this job; unset = not looked
  /// for.
  std::optional<std::uint32_t> kernel_workers;
  /// What host and devices counted from the start barrier to the end of the loop: differences
  /// ("disk.0.write_ios", "disk.0.flush_ios", "zil.slog_bytes", "host.steal_ns"), and what was seen
  /// meanwhile ("cpu.mhz_mean"). Filled by the runner.
  Facts counters;
  std::vector<std::string> notes;  ///< what the backend wants said about this loop
};

/// Where the I/Os of a row were served, as far as the counters tell.
enum class CacheClass { unknown, device, mixed, cache };
template <>
inline constexpr std::array<std::string_view, 4> kEnumTexts<CacheClass>{"unknown", "device",
                                                                        "mixed", "cache"};

/// Whether a flush or FUA write was seen to reach a leaf disk during the row.
enum class Durability { unknown, shown, not_shown };
template <>
inline constexpr std::array<std::string_view, 3> kEnumTexts<Durability>{"unknown", "shown",
                                                                        "not shown"};

enum class Validity { ok, suspect, invalid };
template <>
inline constexpr std::array<std::string_view, 3> kEnumTexts<Validity>{"ok", "suspect", "invalid"};

/// Mean latency by layer: "application" is the whole as the caller sees it, and the parts below it
/// add up to it (but where "device" alone follows: then the disks did other I/O too).
struct Layer {
  std::string name;  ///< "application", "host", "wait", "device", "log device", "server"
  double mean_ns = 0;
};

/// What the analysis says of a row.
struct Verdict {
  CacheClass cache_class = CacheClass::unknown;
  Durability durability = Durability::unknown;
  Validity validity = Validity::ok;
  std::vector<Layer> layers;  ///< empty where the devices' time is not known
};

/// Raw facts of one job. IOPS, MB/s and percentiles are functions of it (metrics.hpp), never stored
/// twice.
struct ResultRecord {
  Job job;
  Status status = Status::ok;
  std::optional<std::string> reason;  ///< set unless ok
  Resolution resolution;
  std::vector<LoopResult> loops;
  Verdict verdict;
  std::string
      fio_command;  ///< what to type to run the same with fio; empty = fio cannot, or unknown
};

}  // namespace sthd
