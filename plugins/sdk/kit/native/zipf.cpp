#include "kit/native/zipf.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sthd::native {

Zipf::Zipf(std::uint64_t blocks, double theta, std::uint64_t seed)
    : blocks_(blocks), theta_(theta) {
  Random random(seed);
  shift_ = random.below(blocks);
  step_ = 1 + random.below(blocks);
  while (std::gcd(step_, blocks_) != 1) ++step_;
  area_first_ = integral(1.5) - 1.0;
  area_last_ = integral(static_cast<double>(blocks_) + 0.5);
  accept_ = 2.0 - inverse(integral(2.5) - density(2.0));
}

std::uint64_t Zipf::rank(Random& random) noexcept {
  constexpr double kUnit = 0x1p-53;  // 53 random bits: a double in [0, 1)
  for (;;) {
    const double uniform = static_cast<double>(random.next() >> 11U) * kUnit;
    const double area = area_last_ + uniform * (area_first_ - area_last_);
    const double x = inverse(area);
    const auto k = static_cast<std::uint64_t>(
        std::clamp(std::floor(x + 0.5), 1.0, static_cast<double>(blocks_)));
    const auto exact = static_cast<double>(k);
    if (exact - x <= accept_ || area >= integral(exact + 0.5) - density(exact)) {
      return std::min(k, blocks_);
    }
  }
}

/// The antiderivative of x^-theta: (x^(1-theta) - 1) / (1-theta), or ln x where theta is 1.
double Zipf::integral(double x) const noexcept {
  const double log = std::log(x);
  const double power = 1.0 - theta_;
  return std::abs(power * log) < 1e-8 ? log : std::expm1(power * log) / power;
}

double Zipf::inverse(double area) const noexcept {
  const double power = 1.0 - theta_;
  const double scaled = std::max(-1.0, power * area);
  return std::exp(std::abs(scaled) < 1e-8 ? area : std::log1p(scaled) / power);
}

double Zipf::density(double x) const noexcept { return std::exp(-theta_ * std::log(x)); }

std::uint64_t Zipf::place(std::uint64_t rank) const noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(rank) * step_ + shift_) % blocks_);
}

}  // namespace sthd::native
