#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runner/record/json_io.hpp"
#include "sthd/facts.hpp"
#include "sthd/result.hpp"

// Private to runner/record: the figures of fio's report. Readers throw ReadError.
namespace sthd::record {

/// One of "slat_ns", "clat_ns", "lat_ns" of a direction: with bins from json+, a summary from json;
/// empty where nothing was counted. `ios`: how many to take where fio, before 3.18, does not say.
std::optional<LatencyHistogram> read_fio_latency(const Reader& direction, std::string_view key,
                                                 std::uint64_t ios);

/// One direction of one entry of "jobs".
OpResult read_fio_direction(const Reader& direction);

/// Adds another thread that ran at the same time.
void add_fio_thread(OpResult& into, const OpResult& more, const Reader& where);

/// The percentiles that fio printed of a latency without its bins, as facts
/// "fio.read.clat_p99_ns", in fio's order.
void add_fio_percentiles(Facts& facts, const Reader& direction, Op op);

/// The CPU time of an entry; empty before fio-3.8, which do not say of how long.
std::optional<CpuUse> read_fio_cpu(const Reader& entry);

/// The leaf disks of "disk_util" as counters ("disk.0.read_ios", …); what this fio does not tell
/// is there with its reason.
Facts read_fio_disks(const Reader& document);

}  // namespace sthd::record
