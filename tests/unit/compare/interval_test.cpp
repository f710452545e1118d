#include "runner/compare/interval.hpp"

#include <fmt/format.h>

#include <array>

#include "noise.hpp"
#include "support/catch.hpp"
#include "support/repeated_row.hpp"

namespace sthd::compare {
namespace {

using test::Normal;
using test::repeated_row;
using test::simulated_row;
using test::Waver;

constexpr std::array<const char*, 3> kMetrics{"iops", "lat.p50", "lat.p99"};

/// Share of `pairs` comparisons of `base` with `other` IOPS that claim a difference.
double claims(double base, double other, std::size_t slices, const Waver& waver, const char* metric,
              int pairs = 200) {
  Normal noise(1);
  int claimed = 0;
  for (int i = 0; i < pairs; ++i) {
    const ResultRecord first = simulated_row(base, slices, waver, noise);
    const ResultRecord second = simulated_row(other, slices, waver, noise);
    const Change change = ratio_of(first, second, Op::write, metric).change;
    REQUIRE(change != Change::unknown);
    if (change != Change::none_shown) ++claimed;
  }
  return static_cast<double>(claimed) / pairs;
}

std::vector<std::uint64_t> repeats(double iops, double spread, std::size_t count, Normal& noise) {
  std::vector<std::uint64_t> ios;
  for (std::size_t i = 0; i < count; ++i) {
    ios.push_back(static_cast<std::uint64_t>(iops * std::exp(spread * noise.next())));
  }
  return ios;
}

double repeated_claims(double base, double other, std::size_t count, double spread) {
  constexpr int kPairs = 400;
  Normal noise(2);
  int claimed = 0;
  for (int i = 0; i < kPairs; ++i) {
    const ResultRecord first = repeated_row(repeats(base, spread, count, noise));
    const ResultRecord second = repeated_row(repeats(other, spread, count, noise));
    const Change change = ratio_of(first, second, Op::write, "iops").change;
    if (change != Change::none_shown) ++claimed;
  }
  return static_cast<double>(claimed) / kPairs;
}

/// Twenty slices of so many I/Os, from the middle on of so many others.
ResultRecord steady(std::uint64_t one, std::uint64_t two) {
  ResultRecord row = repeated_row({one});
  OpResult& result = *row.loops[0].write;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    const std::uint64_t ios = i <= 10 ? one : two;
    result.samples.push_back({i * 50 * kMillisecond, ios, ios * 4096, {}, {}});
  }
  return row;
}

}  // namespace

TEST_CASE("Single runs of the same claim a difference in at most one of twenty comparisons",
          "[compare][interval]") {
  for (const double phi : {0.0, 0.5, 0.8, 0.9}) {
    for (const std::size_t slices : {std::size_t{50}, std::size_t{200}}) {
      for (const char* metric : kMetrics) {
        CAPTURE(phi, slices, metric);
        CHECK(claims(1000, 1000, slices, {0.1, phi}, metric, 60) <= 0.05);
      }
    }
  }
}

TEST_CASE("A limit changed by 5 % is found in single runs, by 30 % always", "[compare][interval]") {
  for (const char* metric : kMetrics) {
    CAPTURE(metric);
    const bool in_the_tail = metric == kMetrics.back();  // of fewer I/Os, so less sure
    CHECK(claims(2000, 1900, 50, {0.01, 0.5}, metric, 40) >= (in_the_tail ? 0.85 : 0.95));
    CHECK(claims(2000, 1400, 50, {0.05, 0.5}, metric, 40) == 1);
  }
}

TEST_CASE("Repeats of the same claim a difference in about one of twenty comparisons",
          "[compare][interval]") {
  for (const std::size_t count : {2, 3, 5, 10}) {
    CAPTURE(count);
    CHECK(repeated_claims(1000, 1000, count, 0.1) <= 0.06);
  }
  CHECK(repeated_claims(2000, 1900, 3, 0.003) >= 0.95);
  CHECK(repeated_claims(2000, 1400, 5, 0.03) == 1);
}

TEST_CASE("A change is better or worse by what the metric means", "[compare][interval]") {
  const ResultRecord slow = repeated_row({1000, 1001, 999});
  const ResultRecord fast = repeated_row({2000, 2001, 1999});
  const auto change = [](const ResultRecord& a, const ResultRecord& b, const char* metric) {
    return ratio_of(a, b, Op::write, metric).change;
  };
  CHECK(change(slow, fast, "iops") == Change::better);
  CHECK(change(fast, slow, "iops") == Change::worse);
  CHECK(change(slow, fast, "lat.p50") == Change::better);
  CHECK(change(fast, slow, "lat.p50") == Change::worse);
  CHECK(change(slow, slow, "iops") == Change::none_shown);
  CHECK(ratio_of(slow, fast, Op::write, "iops").ratio == Approx(2));
}

TEST_CASE("The interval of two that are steady is as wide as two runs may differ",
          "[compare][interval]") {
  const Ratio ratio = ratio_of(steady(1000, 1000), steady(1000, 1000), Op::write, "iops");
  CHECK(*ratio.low == Approx(0.972).margin(0.001));
  CHECK(*ratio.high == Approx(1.028).margin(0.001));
  const Ratio wavering = ratio_of(steady(1000, 2000), steady(1000, 2000), Op::write, "iops");
  CHECK(*wavering.high > *ratio.high);
}

TEST_CASE("The same records give the same interval", "[compare][interval]") {
  Normal noise(3);
  const ResultRecord a = simulated_row(500, 60, {0.2, 0.5}, noise);
  const ResultRecord b = simulated_row(700, 60, {0.2, 0.5}, noise);
  for (const char* metric : kMetrics) {
    const Ratio once = ratio_of(a, b, Op::write, metric);
    const Ratio again = ratio_of(a, b, Op::write, metric);
    CHECK(once.low == again.low);
    CHECK(once.high == again.high);
  }
}

TEST_CASE("There is no interval without repeats or a course, nor of what slices do not have",
          "[compare][interval]") {
  Normal noise(4);
  const ResultRecord row = simulated_row(500, 16, {0.1, 0}, noise);
  const auto has_interval = [&row](const ResultRecord& other, const char* metric) {
    const Ratio ratio = ratio_of(row, other, Op::write, metric);
    REQUIRE(ratio.ratio);
    CHECK(ratio.low.has_value() == ratio.high.has_value());
    CHECK(ratio.low.has_value() == (ratio.change != Change::unknown));
    return ratio.low.has_value();
  };
  for (const char* metric : {"iops", "bw", "bytes", "seconds", "lat.mean", "lat.p50"}) {
    CAPTURE(metric);
    CHECK(has_interval(row, metric));
  }
  for (const char* metric : {"lat.max", "lat.min", "depth"}) CHECK_FALSE(has_interval(row, metric));
  CHECK_FALSE(has_interval(simulated_row(500, 15, {0.1, 0}, noise), "iops"));
  CHECK_FALSE(has_interval(repeated_row({500}), "iops"));
  ResultRecord blind = row;
  for (Sample& sample : blind.loops[0].write->samples) sample.lat.clear();
  CHECK(has_interval(blind, "iops"));
  CHECK_FALSE(has_interval(blind, "lat.p50"));
}

TEST_CASE("What is not known or nothing has no ratio", "[compare][interval]") {
  const ResultRecord row = repeated_row({500});
  ResultRecord none = repeated_row({500});
  none.loops[0].write->ios = 0;
  CHECK_FALSE(ratio_of(row, none, Op::write, "iops").ratio);
  CHECK_FALSE(ratio_of(none, row, Op::write, "iops").ratio);
  CHECK_FALSE(ratio_of(row, row, Op::read, "iops").ratio);
  none.loops[0].write->bytes = 0;
  CHECK_FALSE(ratio_of(row, none, Op::write, "bw").ratio);
}

TEST_CASE("An interval that would say nothing is none", "[compare][interval]") {
  const Ratio ratio =
      ratio_of(repeated_row({10, 1000}), repeated_row({10, 1000}), Op::write, "iops");
  CHECK(ratio.ratio == Approx(1));
  CHECK_FALSE(ratio.low);
  CHECK(ratio.change == Change::unknown);
}

TEST_CASE("Where the rate is given, a latency may move as far as its bin reaches",
          "[compare][interval]") {
  std::vector<Sample> samples;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    const auto bin = static_cast<std::uint16_t>(CoarseGrid::index_of(100'000));
    samples.push_back({i * 50 * kMillisecond, 1000, 4'096'000, {}, {{bin, 1000}}});
  }
  CHECK(of_course(samples, "lat.p50")->error == Approx(0).margin(1e-9));
  CHECK(of_course(samples, "lat.p50", true)->error > 0.02);
  CHECK(of_course(samples, "iops", true)->error == Approx(0).margin(1e-9));
}

TEST_CASE("A side with repeats and one with a course have an interval", "[compare][interval]") {
  Normal noise(5);
  const ResultRecord once = simulated_row(1000, 50, {0.02, 0}, noise);
  const ResultRecord often = repeated_row({1000, 1010, 990});
  CHECK(ratio_of(once, often, Op::write, "iops").change == Change::none_shown);
}

TEST_CASE("The error of a median shrinks with the repeats, that of the best does not",
          "[compare][interval]") {
  const std::vector<double> few{900, 1000, 1100};
  std::vector<double> many;
  for (int i = 0; i < 10; ++i) many.insert(many.end(), few.begin(), few.end());
  CHECK(of_repeats(many, Score::median)->error < of_repeats(few, Score::median)->error);
  CHECK(of_repeats(many, Score::max)->error == Approx(0.083).margin(0.005));
  CHECK(of_repeats(few, Score::max)->degrees == 2);
  CHECK(of_repeats({90, 110}, Score::median)->error == Approx(0.1).margin(0.01));
  CHECK_FALSE(of_repeats({1}, Score::median));
  CHECK_FALSE(of_repeats({1, 0}, Score::median));
}

}  // namespace sthd::compare
