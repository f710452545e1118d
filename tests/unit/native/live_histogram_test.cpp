#include "kit/native/live_histogram.hpp"

#include <array>

#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::native;

TEST_CASE("A live histogram drains into one that was filled directly", "[native][histogram]") {
  LiveHistogram live;
  live.open();
  LatencyHistogram direct;
  for (std::uint64_t ns = 1; ns < (std::uint64_t{1} << 45U); ns = ns * 3 + 1) {
    live.add(ns);
    direct.add(ns);
  }
  live.add(777, 5);
  for (int i = 0; i < 5; ++i) direct.add(777);
  LatencyHistogram drained;
  live.drain_into(drained);
  CHECK(drained.bins() == direct.bins());
  CHECK(drained.count() == direct.count());
  CHECK(drained.sum_ns() == direct.sum_ns());
  CHECK(drained.min_ns() == direct.min_ns());
  CHECK(drained.max_ns() == direct.max_ns());
}

TEST_CASE("A live histogram that was opened at once counts as any other", "[native][histogram]") {
  LiveHistogram live;
  live.open(LiveHistogram::Memory::at_once);
  live.add(100);
  live.add(std::uint64_t{1} << 42U, 3);
  LatencyHistogram drained;
  live.drain_into(drained);
  CHECK(drained.count() == 4);
  CHECK(drained.min_ns() == 100);
}

TEST_CASE("One without memory or without samples adds nothing", "[native][histogram]") {
  LiveHistogram closed;
  LiveHistogram empty;
  empty.open();
  LatencyHistogram total;
  closed.drain_into(total);
  empty.drain_into(total);
  CHECK(total.count() == 0);
  CHECK_FALSE(total.min_ns());
}

TEST_CASE("A peek counts by the coarse grid and takes the longest once", "[native][histogram]") {
  LiveHistogram live;
  live.open();
  live.add(100);
  live.add(1'000'000, 3);
  std::array<std::uint64_t, CoarseGrid::kBins> bins{};
  live.peek(bins.data());
  CHECK(bins[CoarseGrid::index_of(100)] == 1);
  CHECK(bins[CoarseGrid::index_of(1'000'000)] == 3);
  CHECK(live.take_slice_max() == 1'000'000);
  CHECK(live.take_slice_max() == 0);
  live.add(50);
  CHECK(live.take_slice_max() == 50);
}

TEST_CASE("Every fine bin lies inside one coarse bin", "[native][histogram]") {
  for (std::size_t i = 0; i < LatencyHistogram::kBins; ++i) {
    const std::uint64_t lower = LatencyHistogram::lower_of(i);
    const std::uint64_t upper = lower + LatencyHistogram::width_of(i) - 1;
    REQUIRE(CoarseGrid::index_of(lower) == CoarseGrid::index_of(upper));
  }
}
