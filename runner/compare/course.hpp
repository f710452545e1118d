#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "kit/native/random.hpp"
#include "sthd/result.hpp"

namespace sthd::compare {

/// Totals of a stretch of a time series: time, I/Os, bytes, and the I/Os by latency.
class Stretch {
 public:
  Stretch(std::vector<double> totals, std::size_t first_bin)
      : totals_(std::move(totals)), first_bin_(first_bin) {}

  /// I/Os, or where they were not counted bytes, a unit of time.
  [[nodiscard]] std::optional<double> rate() const;
  /// Mean latency, ns.
  [[nodiscard]] std::optional<double> mean() const;
  /// Quantile `q` of the latencies, ns: as if they lay evenly inside their bin, so that it moves
  /// where less than a bin moves. Empty when n (1 - q) < 1, as everywhere.
  [[nodiscard]] std::optional<double> quantile(double q) const;

 private:
  [[nodiscard]] double latencies() const;

  std::vector<double> totals_;
  std::size_t first_bin_;
};

/// The time series of one direction of a row, made ready to be drawn from in blocks.
class Course {
 public:
  explicit Course(const std::vector<Sample>& samples);

  [[nodiscard]] std::size_t slices() const { return slices_; }
  [[nodiscard]] Stretch whole() const;
  /// `blocks` stretches of `length` slices that begin anywhere, put together: Künsch's moving
  /// blocks. Precondition: 0 < length <= slices().
  [[nodiscard]] Stretch drawn(std::size_t blocks, std::size_t length, native::Random& random) const;

 private:
  void add(std::size_t begin, std::size_t end, std::vector<double>& totals) const;

  std::size_t slices_ = 0;
  std::size_t first_bin_ = 0;
  std::size_t width_ = 0;     ///< of a line of sums_
  std::vector<double> sums_;  ///< line i: totals of the first i slices
};

}  // namespace sthd::compare
