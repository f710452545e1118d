#pragma once

#include <cstdint>
#include <optional>

#include "sthd/result.hpp"

namespace sthd::chart {

/// Quantile `q` of the latencies of a slice, ns: quantile_ns() of its bins, but never above the
/// longest one, which a bin's midpoint may be.
std::optional<std::uint64_t> quantile_ns(const Sample& sample, double q);

}  // namespace sthd::chart
