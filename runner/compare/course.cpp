#include "runner/compare/course.hpp"

#include <algorithm>
#include <utility>

namespace sthd::compare {
namespace {

// What a line of totals begins with; the bins follow.
constexpr std::size_t kTime = 0;
constexpr std::size_t kIos = 1;
constexpr std::size_t kBytes = 2;
constexpr std::size_t kBins = 3;

double as_double(std::uint64_t value) { return static_cast<double>(value); }

/// The lowest bin that is used, and one behind the highest.
std::pair<std::size_t, std::size_t> used_bins(const std::vector<Sample>& samples) {
  std::size_t first = CoarseGrid::kBins;
  std::size_t end = 0;
  for (const Sample& sample : samples) {
    if (sample.lat.empty()) continue;
    first = std::min<std::size_t>(first, sample.lat.front().first);
    end = std::max<std::size_t>(end, sample.lat.back().first + std::size_t{1});
  }
  return {std::min(first, end), end};
}

}  // namespace

std::optional<double> Stretch::rate() const {
  const double amount = totals_[kIos] > 0 ? totals_[kIos] : totals_[kBytes];
  if (amount <= 0 || totals_[kTime] <= 0) return std::nullopt;
  return amount / totals_[kTime];
}

double Stretch::latencies() const {
  double count = 0;
  for (std::size_t i = kBins; i < totals_.size(); ++i) count += totals_[i];
  return count;
}

std::optional<double> Stretch::mean() const {
  const double count = latencies();
  if (count <= 0) return std::nullopt;
  double sum = 0;
  for (std::size_t i = kBins; i < totals_.size(); ++i) {
    sum += totals_[i] * as_double(CoarseGrid::midpoint_of(first_bin_ + i - kBins));
  }
  return sum / count;
}

std::optional<double> Stretch::quantile(double q) const {
  constexpr double kSlack = 1e-9;  // q is a decimal fraction that binary cannot hold
  const double count = latencies();
  if (count * (1 - q) < 1 - kSlack) return std::nullopt;
  double left = q * count;
  for (std::size_t i = kBins; i < totals_.size(); ++i) {
    if (totals_[i] >= left && totals_[i] > 0) {
      const std::size_t bin = first_bin_ + i - kBins;
      return as_double(CoarseGrid::lower_of(bin)) +
             as_double(CoarseGrid::width_of(bin)) * left / totals_[i];
    }
    left -= totals_[i];
  }
  return std::nullopt;
}

Course::Course(const std::vector<Sample>& samples) : slices_(samples.size()) {
  const auto [first, end] = used_bins(samples);
  first_bin_ = first;
  width_ = kBins + end - first;
  sums_.resize((slices_ + 1) * width_);
  std::uint64_t begin_ns = 0;
  for (std::size_t i = 0; i < slices_; ++i) {
    const Sample& sample = samples[i];
    double* line = &sums_[(i + 1) * width_];
    std::copy_n(line - width_, width_, line);
    line[kTime] += sample.at_ns > begin_ns ? as_double(sample.at_ns - begin_ns) : 0;
    line[kIos] += as_double(sample.ios);
    line[kBytes] += as_double(sample.bytes);
    for (const auto& [bin, count] : sample.lat) line[kBins + bin - first_bin_] += as_double(count);
    begin_ns = sample.at_ns;
  }
}

void Course::add(std::size_t begin, std::size_t end, std::vector<double>& totals) const {
  for (std::size_t i = 0; i < width_; ++i) {
    totals[i] += sums_[end * width_ + i] - sums_[begin * width_ + i];
  }
}

Stretch Course::whole() const {
  std::vector<double> totals(width_);
  add(0, slices_, totals);
  return {std::move(totals), first_bin_};
}

Stretch Course::drawn(std::size_t blocks, std::size_t length, native::Random& random) const {
  std::vector<double> totals(width_);
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto begin = static_cast<std::size_t>(random.below(slices_ - length + 1));
    add(begin, begin + length, totals);
  }
  return {std::move(totals), first_bin_};
}

}  // namespace sthd::compare
