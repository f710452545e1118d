#include "sthd/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace sthd {
namespace {

using Histogram = LatencyHistogram;

LatencyHistogram of(const std::vector<std::uint64_t>& samples) {
  LatencyHistogram histogram;
  for (const std::uint64_t sample : samples) histogram.add(sample);
  return histogram;
}

TEST_CASE("Every bin's bounds and midpoint fall into that bin", "[sdk][histogram]") {
  for (std::size_t i = 0; i < Histogram::kBins; ++i) {
    INFO(i);
    const std::uint64_t lower = Histogram::lower_of(i);
    const std::uint64_t width = Histogram::width_of(i);
    REQUIRE(Histogram::index_of(lower) == i);
    REQUIRE(Histogram::index_of(lower + width - 1) == i);
    REQUIRE(Histogram::index_of(Histogram::midpoint_of(i)) == i);
    REQUIRE(width * Histogram::kSubBins <= std::max<std::uint64_t>(lower, Histogram::kSubBins));
    if (i + 1 < Histogram::kBins) REQUIRE(Histogram::lower_of(i + 1) == lower + width);
  }
  CHECK(Histogram::lower_of(Histogram::kBins - 1) + Histogram::width_of(Histogram::kBins - 1) ==
        std::uint64_t{1} << Histogram::kMaxBit);
}

TEST_CASE("Values past the end count in the last bin", "[sdk][histogram]") {
  const auto histogram = of({std::uint64_t{1} << 43, UINT64_MAX});
  CHECK(histogram.bins() == std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                                {Histogram::lower_of(Histogram::kBins - 1), 2}});
  CHECK(histogram.max_ns() == UINT64_MAX);
}

TEST_CASE("Midpoints are those that fio prints", "[sdk][histogram]") {
  for (const std::uint64_t value : {85'504U, 118'272U, 136'192U, 185'344U, 317'440U, 391'168U}) {
    CHECK(Histogram::midpoint_of(Histogram::index_of(value)) == value);
  }
}

TEST_CASE("An empty histogram knows nothing", "[sdk][histogram]") {
  LatencyHistogram histogram;
  histogram.set_exact(1, 2, 3);
  CHECK(histogram.count() == 0);
  CHECK_FALSE(histogram.min_ns().has_value());
  CHECK_FALSE(histogram.max_ns().has_value());
  CHECK_FALSE(histogram.mean_ns().has_value());
  CHECK_FALSE(histogram.quantile_ns(0.5).has_value());
  CHECK(histogram.bins().empty());
}

TEST_CASE("A histogram of a summary has extremes and a mean, and no quantiles",
          "[sdk][histogram]") {
  LatencyHistogram histogram = of({7});
  histogram.set_summary(1000, 100, 900, 250'000);
  CHECK(histogram.count() == 1000);
  CHECK(histogram.min_ns() == 100);
  CHECK(histogram.max_ns() == 900);
  CHECK(histogram.mean_ns() == 250);
  CHECK_FALSE(histogram.has_bins());
  CHECK_FALSE(histogram.quantile_ns(0.5).has_value());
  CHECK(histogram.bins().empty());
  CHECK(of({7}).has_bins());
  histogram.set_summary(0, 1, 2, 3);
  CHECK(histogram.has_bins());
  CHECK_FALSE(histogram.min_ns().has_value());
}

TEST_CASE("A part without bins leaves the whole without quantiles", "[sdk][histogram]") {
  LatencyHistogram whole = of({100, 200, 300, 400});
  REQUIRE(whole.quantile_ns(0.5).has_value());
  LatencyHistogram part;
  part.set_summary(2, 50, 500, 550);
  whole.merge(part);
  CHECK(whole.count() == 6);
  CHECK(whole.min_ns() == 50);
  CHECK(whole.max_ns() == 500);
  CHECK(whole.sum_ns() == 1550);
  CHECK_FALSE(whole.has_bins());
  CHECK_FALSE(whole.quantile_ns(0.5).has_value());
}

TEST_CASE("Quantiles need a sample beyond them and are rough below ten", "[sdk][histogram]") {
  struct Row {
    std::uint64_t samples;
    double q;
    bool known;
    bool rough;
  };
  const std::vector<Row> rows{
      {1, 0.5, false, true},       {2, 0.5, true, true},      {19, 0.5, true, true},
      {20, 0.5, true, false},      {9, 0.9, false, true},     {10, 0.9, true, true},
      {99, 0.99, false, true},     {100, 0.99, true, true},   {999, 0.99, true, true},
      {1000, 0.99, true, false},   {999, 0.999, false, true}, {1000, 0.999, true, true},
      {10'000, 0.999, true, false}};
  for (const Row& row : rows) {
    INFO(row.samples << " samples, q " << row.q);
    LatencyHistogram histogram;
    histogram.add_binned(1000, row.samples);
    CHECK(histogram.quantile_ns(row.q).has_value() == row.known);
    CHECK(histogram.quantile_is_rough(row.q) == row.rough);
  }
  LatencyHistogram histogram;
  histogram.add_binned(1000, 1000);
  for (const double q : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
    CHECK_FALSE(histogram.quantile_ns(q).has_value());
  }
}

TEST_CASE("A quantile is the sample of rank ceil(q n)", "[sdk][histogram]") {
  std::vector<std::uint64_t> samples;
  for (std::uint64_t i = 1; i <= 100; ++i) samples.push_back(i);  // each has its own bin
  const auto histogram = of(samples);
  CHECK(histogram.quantile_ns(0.07) == 7);
  CHECK(histogram.quantile_ns(0.5) == 50);
  CHECK(histogram.quantile_ns(0.501) == 51);
  CHECK(histogram.quantile_ns(0.99) == 99);
}

TEST_CASE("A quantile stays between minimum and maximum", "[sdk][histogram]") {
  LatencyHistogram histogram;
  histogram.add_binned(180'000, 100);
  CHECK(histogram.quantile_ns(0.5) == 180'000);
}

TEST_CASE("Quantiles are within 0.8 % of the exact ones", "[sdk][histogram]") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> latency(11.0, 1.5);
  std::vector<std::uint64_t> samples(50'000);
  for (auto& sample : samples) sample = static_cast<std::uint64_t>(latency(random)) + 1;
  const auto histogram = of(samples);
  std::sort(samples.begin(), samples.end());
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * 50'000 - 1e-6));
    const auto exact = static_cast<double>(samples[rank - 1]);
    INFO(q);
    CHECK(std::abs(static_cast<double>(*histogram.quantile_ns(q)) - exact) <= 0.008 * exact);
  }
}

TEST_CASE("Merged histograms equal the histogram of the union", "[sdk][histogram]") {
  std::mt19937_64 random(11);
  std::vector<std::uint64_t> all;
  LatencyHistogram merged;
  for (int shard = 0; shard < 5; ++shard) {
    LatencyHistogram part;
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t sample = random() >> (random() % 60 + 4);
      all.push_back(sample);
      part.add(sample);
    }
    merged.merge(part);
  }
  merged.merge(LatencyHistogram{});
  const auto whole = of(all);
  CHECK(merged.bins() == whole.bins());
  CHECK(merged.count() == whole.count());
  CHECK(merged.min_ns() == whole.min_ns());
  CHECK(merged.max_ns() == whole.max_ns());
  CHECK(merged.quantile_ns(0.95) == whole.quantile_ns(0.95));
}

TEST_CASE("Two halves of 10 ms and 2 s have a p95 of 2 s, not the mean of theirs",
          "[sdk][histogram]") {
  LatencyHistogram fast;
  LatencyHistogram slow;
  fast.add_binned(10'000'000, 1000);
  slow.add_binned(2'000'000'000, 1000);
  fast.merge(slow);
  CHECK(*fast.quantile_ns(0.95) == Approx(2e9).epsilon(0.008));
  CHECK(*fast.quantile_ns(0.5) == Approx(1e7).epsilon(0.008));
}

TEST_CASE("Exact extremes replace those of the bins", "[sdk][histogram]") {
  LatencyHistogram histogram;
  histogram.add_binned(1000, 4);
  histogram.set_exact(998, 1005, 4004);
  CHECK(histogram.min_ns() == 998);
  CHECK(histogram.max_ns() == 1005);
  CHECK(*histogram.mean_ns() == Approx(1001));
}

}  // namespace
}  // namespace sthd
