#pragma once

#include <optional>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::analyze {

/// Where the mean latency of a row's I/Os went, from the top down: "application" is the whole of
/// it, and what follows adds up to that. "host": the job's threads on a CPU, or waiting for one,
/// and whatever else cannot be told apart. "wait": blocked above what the devices count (an I/O
/// limit, a scheduler's queue, a lock); only where the host's own time is known, and where it is a
/// tenth of the whole. Then "device", "log device" (of a pool) or "server" (of NFS: the round trip
/// of its RPCs). The application alone with "device" where the disks' mean is larger: they did
/// other I/O too. Empty where the devices' time is not known, or where a cache served a part.
std::vector<Layer> layers_of(const Report& report, const ResultRecord& record, CacheClass cache);

/// The share of the mean latency that neither the devices had nor, where that is known, the host's
/// own time; of a row that no cache served. Empty where the devices' time is not known.
std::optional<double> waited_share(const Report& report, const ResultRecord& record);

}  // namespace sthd::analyze
