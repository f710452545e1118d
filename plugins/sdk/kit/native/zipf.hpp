#pragma once

#include <cstdint>

#include "kit/native/random.hpp"

namespace sthd::native {

/// Draws blocks so that the k-th most popular one comes in proportion to k^-theta, and scatters the
/// popular ones over the whole range. Constant memory and time for any number of blocks: rejection
/// from the integral of the density (W. Hörmann and G. Derflinger, "Rejection-inversion to generate
/// variates from monotone discrete distributions", ACM TOMACS 6(3), 1996).
class Zipf {
 public:
  /// `blocks` and `theta` > 0. `seed` chooses which blocks are popular.
  Zipf(std::uint64_t blocks, double theta, std::uint64_t seed);

  /// 0 … blocks-1.
  std::uint64_t next(Random& random) noexcept { return place(rank(random)); }
  /// 1 … blocks, 1 the most popular.
  std::uint64_t rank(Random& random) noexcept;

 private:
  [[nodiscard]] double integral(double x) const noexcept;
  [[nodiscard]] double inverse(double area) const noexcept;
  [[nodiscard]] double density(double x) const noexcept;
  /// A bijection of ranks to blocks.
  [[nodiscard]] std::uint64_t place(std::uint64_t rank) const noexcept;

  std::uint64_t blocks_;
  double theta_;
  std::uint64_t step_ = 1;  ///< coprime to blocks_
  std::uint64_t shift_ = 0;
  double area_first_ = 0;
  double area_last_ = 0;
  double accept_ = 0;
};

}  // namespace sthd::native
