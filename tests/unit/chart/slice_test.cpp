#include "kit/chart/slice.hpp"

#include "support/catch.hpp"

namespace sthd::chart {

TEST_CASE("A slice's quantile is never above its longest latency", "[chart]") {
  Sample sample;
  const auto bin = static_cast<std::uint16_t>(CoarseGrid::index_of(100'000));
  sample.lat = {{bin, 200}};
  const std::uint64_t lowest = CoarseGrid::lower_of(bin);
  CHECK(quantile_ns(sample, 0.5) == CoarseGrid::midpoint_of(bin));
  sample.max_ns = lowest;
  CHECK(quantile_ns(sample, 0.99) == lowest);
  CHECK_FALSE(quantile_ns(sample, 0.9999));
  CHECK_FALSE(quantile_ns(Sample{}, 0.5));
}

}  // namespace sthd::chart
