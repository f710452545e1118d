#include "sthd/result.hpp"

#include <algorithm>
#include <utility>

namespace sthd {

void merge(Sample& into, const Sample& next) {
  into.at_ns = next.at_ns;
  into.ios += next.ios;
  into.bytes += next.bytes;
  if (next.max_ns) into.max_ns = std::max(into.max_ns.value_or(0), *next.max_ns);
  merge_bins(into.lat, next.lat);
}

void coarsen(std::vector<Sample>& samples, std::size_t most) {
  while (samples.size() > std::max<std::size_t>(most, 1)) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < samples.size(); i += 2) {
      Sample merged = std::move(samples[i]);
      if (i + 1 < samples.size()) merge(merged, samples[i + 1]);
      samples[kept++] = std::move(merged);
    }
    samples.resize(kept);
  }
}

}  // namespace sthd
