#include "sthd/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace sthd {
namespace {

// q is a decimal fraction that binary cannot hold: 10 × (1 − 0.9) must count as 1, and
// ceil(0.07 × 100) as 7. Far below one sample at any count that a run can reach.
double slack(double samples) { return 1e-9 + samples * 1e-15; }

bool fewer_beyond(std::uint64_t count, double q, double samples) {
  const auto n = static_cast<double>(count);
  return n * (1.0 - q) < samples - slack(n);
}

}  // namespace

std::optional<std::uint64_t> LatencyHistogram::min_ns() const noexcept {
  if (count_ == 0) return std::nullopt;
  return min_;
}

std::optional<std::uint64_t> LatencyHistogram::max_ns() const noexcept {
  if (count_ == 0) return std::nullopt;
  return max_;
}

std::optional<double> LatencyHistogram::mean_ns() const noexcept {
  if (count_ == 0) return std::nullopt;
  return static_cast<double>(sum_) / static_cast<double>(count_);
}

std::optional<std::uint64_t> LatencyHistogram::quantile_ns(double q) const noexcept {
  if (!(q > 0.0 && q < 1.0) || count_ == 0 || fewer_beyond(count_, q, 1)) return std::nullopt;
  const double position = q * static_cast<double>(count_);
  const auto rank =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(position - slack(position))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::max(min_, std::min(max_, midpoint_of(i)));
  }
  return max_;
}

bool LatencyHistogram::quantile_is_rough(double q) const noexcept {
  return fewer_beyond(count_, q, 10);
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> LatencyHistogram::bins() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
  for (std::size_t i = 0; i < kBins; ++i) {
    if (counts_[i] != 0) result.emplace_back(lower_of(i), counts_[i]);
  }
  return result;
}

}  // namespace sthd
