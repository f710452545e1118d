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

/// 1-based rank of quantile `q` among `count` samples; 0 = fewer than one lies beyond it.
std::uint64_t rank_of(std::uint64_t count, double q) {
  if (!(q > 0.0 && q < 1.0) || count == 0 || fewer_beyond(count, q, 1)) return 0;
  const double position = q * static_cast<double>(count);
  return std::max<std::uint64_t>(1,
                                 static_cast<std::uint64_t>(std::ceil(position - slack(position))));
}

}  // namespace

void merge_bins(CoarseBins& into, const CoarseBins& more) {
  CoarseBins sum;
  sum.reserve(into.size() + more.size());
  auto a = into.begin();
  auto b = more.begin();
  while (a != into.end() || b != more.end()) {
    if (b == more.end() || (a != into.end() && a->first < b->first)) {
      sum.push_back(*a++);
    } else if (a == into.end() || b->first < a->first) {
      sum.push_back(*b++);
    } else {
      sum.emplace_back(a->first, a->second + b->second);
      ++a, ++b;
    }
  }
  into = std::move(sum);
}

std::optional<std::uint64_t> quantile_ns(const CoarseBins& bins, double q) {
  std::uint64_t count = 0;
  for (const auto& bin : bins) count += bin.second;
  const std::uint64_t rank = rank_of(count, q);
  if (rank == 0) return std::nullopt;
  std::uint64_t seen = 0;
  for (const auto& [index, n] : bins) {
    seen += n;
    if (seen >= rank) return CoarseGrid::midpoint_of(index);
  }
  return std::nullopt;
}

void LatencyHistogram::set_summary(std::uint64_t n, std::uint64_t min_ns, std::uint64_t max_ns,
                                   std::uint64_t sum_ns) noexcept {
  std::fill(counts_.begin(), counts_.end(), 0);
  count_ = n;
  sum_ = n == 0 ? 0 : sum_ns;
  min_ = n == 0 ? UINT64_MAX : min_ns;
  max_ = n == 0 ? 0 : max_ns;
}

bool LatencyHistogram::has_bins() const noexcept {
  std::uint64_t binned = 0;
  for (const std::uint64_t count : counts_) binned += count;
  return binned == count_;
}

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
  const std::uint64_t rank = rank_of(count_, q);
  if (rank == 0 || !has_bins()) return std::nullopt;
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
