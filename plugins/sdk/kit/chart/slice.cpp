#include "kit/chart/slice.hpp"

#include <algorithm>

#include "sthd/histogram.hpp"

namespace sthd::chart {

std::optional<std::uint64_t> quantile_ns(const Sample& sample, double q) {
  const auto ns = sthd::quantile_ns(sample.lat, q);
  return ns && sample.max_ns ? std::min(*ns, *sample.max_ns) : ns;
}

}  // namespace sthd::chart
