#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sthd {

/// A grid of latencies in nanoseconds that divides each octave into 2^SubBits bins of equal width:
/// a bin is never wider than 1/2^SubBits of its lower bound. Values below 2^(SubBits+1) have a bin
/// of their own. It ends at 2^43 ns (2.4 hours); longer ones count in the last bin. Every bin of a
/// finer grid lies inside one bin of a coarser one.
template <unsigned SubBits>
struct LogLinearGrid {
  static constexpr unsigned kSubBits = SubBits;
  static constexpr std::uint64_t kSubBins = std::uint64_t{1} << kSubBits;
  static constexpr unsigned kMaxBit = 43;
  static constexpr std::size_t kBins = (kMaxBit - kSubBits + 1) * kSubBins;

  static constexpr std::size_t index_of(std::uint64_t ns) noexcept {
    if (ns < 2 * kSubBins) return static_cast<std::size_t>(ns);
    const unsigned msb = 63U - static_cast<unsigned>(std::countl_zero(ns));
    if (msb >= kMaxBit) return kBins - 1;
    const unsigned shift = msb - kSubBits;
    return ((static_cast<std::size_t>(shift) + 1) << kSubBits) + ((ns >> shift) & (kSubBins - 1));
  }
  /// Smallest value of a bin, ns.
  static constexpr std::uint64_t lower_of(std::size_t index) noexcept {
    if (index < 2 * kSubBins) return index;
    const auto shift = static_cast<unsigned>(index >> kSubBits) - 1;
    return (kSubBins + (index & (kSubBins - 1))) << shift;
  }
  /// Bin width, ns.
  static constexpr std::uint64_t width_of(std::size_t index) noexcept {
    return index < 2 * kSubBins ? 1 : std::uint64_t{1} << ((index >> kSubBits) - 1);
  }
  /// The value a bin stands for: fio's midpoint, ns.
  static constexpr std::uint64_t midpoint_of(std::size_t index) noexcept {
    return lower_of(index) + width_of(index) / 2;
  }
};

/// The grid of the time series: 8 bins an octave, so a quantile of a slice is within 6.3 %.
using CoarseGrid = LogLinearGrid<3>;

/// Non-empty bins of CoarseGrid as {index, count}, ascending.
using CoarseBins = std::vector<std::pair<std::uint16_t, std::uint64_t>>;

/// Adds `more` to `into`.
void merge_bins(CoarseBins& into, const CoarseBins& more);
/// As LatencyHistogram::quantile_ns, of a slice: empty when n (1 − q) < 1.
std::optional<std::uint64_t> quantile_ns(const CoarseBins& bins, double q);

/// A log-linear histogram of latencies in nanoseconds.
///
/// Latencies span seven decades, and what matters is the relative error, so each octave (power of
/// two) is divided into the same number of bins: 64. A value below 128 has a bin of its own; above,
/// the six bits after its leading one choose the bin, so a bin is never wider than 1/64 of its
/// lower bound and its midpoint is at most 0.8 % from any value inside. The grid is the same as
/// that of fio's `json+` output (FIO_IO_U_PLAT_BITS = 6), whose keys are bin midpoints: add() of a
/// midpoint finds the bin it came from, so such a histogram is imported without loss. It ends at
/// 2^43 ns (2.4 hours); longer ones count in the last bin.
///
/// Adding is a handful of instructions and no branch that depends on the data but one. Histograms
/// of threads, loops and runs are merged by adding counts, which percentiles cannot be. One thread
/// owns a histogram.
class LatencyHistogram : public LogLinearGrid<6> {
 public:
  LatencyHistogram() : counts_(kBins, 0) {}

  void add(std::uint64_t ns) noexcept {
    ++counts_[index_of(ns)];
    ++count_;
    sum_ += ns;
    min_ = ns < min_ ? ns : min_;
    max_ = ns > max_ ? ns : max_;
  }
  /// `n` samples known only by their bin; min, max and sum are given by set_exact() afterwards.
  void add_binned(std::uint64_t ns, std::uint64_t n) noexcept {
    counts_[index_of(ns)] += n;
    count_ += n;
    sum_ += ns * n;
    min_ = ns < min_ ? ns : min_;
    max_ = ns > max_ ? ns : max_;
  }
  /// Replaces the bin-derived extremes and sum by the exact ones that came with the bins.
  void set_exact(std::uint64_t min_ns, std::uint64_t max_ns, std::uint64_t sum_ns) noexcept {
    if (count_ == 0) return;
    min_ = min_ns;
    max_ = max_ns;
    sum_ = sum_ns;
  }
  /// Makes it one of `n` samples whose bins are not known: it has extremes and a mean, and no
  /// quantiles. n = 0 empties it.
  void set_summary(std::uint64_t n, std::uint64_t min_ns, std::uint64_t max_ns,
                   std::uint64_t sum_ns) noexcept;
  /// Whether every sample is in a bin. Not so after set_summary(), or where one such was merged.
  [[nodiscard]] bool has_bins() const noexcept;
  void merge(const LatencyHistogram& other) noexcept {
    for (std::size_t i = 0; i < kBins; ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    min_ = other.min_ < min_ ? other.min_ : min_;
    max_ = other.max_ > max_ ? other.max_ : max_;
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t sum_ns() const noexcept { return sum_; }
  [[nodiscard]] std::optional<std::uint64_t> min_ns() const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> max_ns() const noexcept;
  [[nodiscard]] std::optional<double> mean_ns() const noexcept;

  /// Quantile `q` in (0, 1): the midpoint of the bin that holds the sample of rank ceil(q n),
  /// clamped to [min, max]. Empty without all bins, and when fewer than one sample lies beyond it
  /// (n (1 − q) < 1): it would be the maximum under another name.
  [[nodiscard]] std::optional<std::uint64_t> quantile_ns(double q) const noexcept;
  /// Fewer than ten samples lie beyond `q`: shown with a `~`.
  [[nodiscard]] bool quantile_is_rough(double q) const noexcept;

  /// Non-empty bins as {lower bound ns, count}, ascending.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> bins() const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = UINT64_MAX;
  std::uint64_t max_ = 0;
};

}  // namespace sthd
