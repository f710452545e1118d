#include "kit/plot/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sthd::plot {
namespace {

constexpr double kNearly = 1e-9;  // relative: what rounding may have done to a power of ten
constexpr std::array<int, 3> kSteps{1, 2, 5};

/// The largest of 1, 2 and 5 times a power of ten that is not above `value` (> 0).
double counted_below(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value * (1 + kNearly))));
  double found = decade;
  for (const int step : kSteps) {
    if (step * decade <= value * (1 + kNearly)) found = step * decade;
  }
  return found;
}

/// The smallest of them that is not below `value` (> 0).
double counted_above(double value) {
  const double below = counted_below(value);
  if (below >= value * (1 - kNearly)) return below;
  const double leading = below / std::pow(10, std::floor(std::log10(below * (1 + kNearly))));
  return below * (leading < 1.5 ? 2 : leading < 3 ? 2.5 : 2);  // NOLINT: 1 -> 2 -> 5 -> 10
}

/// `value` with as many decimals as a step of this size has.
std::string number(double value, double step) {
  constexpr double kPlain = 1e7;
  if (std::abs(value) >= kPlain) return fmt::format("{:.3g}", value);
  constexpr int kMost = 9;
  const int decimals = static_cast<int>(-std::floor(std::log10(step * (1 + kNearly))));
  return fmt::format("{:.{}f}", value, std::clamp(decimals, 0, kMost));
}

/// Labelled values of a logarithmic axis: 1-2-5 a decade, 1 a decade, or 1 in every `stride`.
std::vector<Tick> log_ticks(double low, double high, bool all_steps, int stride) {
  std::vector<Tick> ticks;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  for (int decade = first; std::pow(10, decade) <= high * (1 + kNearly); ++decade) {
    if (((decade % stride) + stride) % stride != 0) continue;
    for (const int step : kSteps) {
      const double value = step * std::pow(10, decade);
      const bool inside = value >= low * (1 - kNearly) && value <= high * (1 + kNearly);
      if (inside && (step == 1 || all_steps)) ticks.push_back({value, number(value, value)});
    }
  }
  return ticks;
}

}  // namespace

Scale::Scale(AxisKind kind, double least, double most, std::size_t room, bool rounded)
    : kind_(kind) {
  if (kind == AxisKind::linear) be_linear(most, room, rounded);
  if (kind == AxisKind::log) be_log(least, most, room);
  if (kind == AxisKind::percentile) be_percentile(most, room);
}

void Scale::be_linear(double most, std::size_t room, bool rounded) {
  high_ = most > 0 ? most : 1;
  const double step = counted_above(high_ / static_cast<double>(std::max<std::size_t>(room, 1)));
  if (rounded) high_ = step * std::ceil(high_ / step * (1 - kNearly));
  for (int i = 0; i * step <= high_ * (1 + kNearly); ++i) {
    ticks_.push_back({i * step, number(i * step, step)});
  }
}

void Scale::be_log(double least, double most, std::size_t room) {
  low_ = counted_below(least);
  high_ = counted_above(most);
  if (high_ <= low_ * (1 + kNearly)) {  // one value: between its neighbours
    low_ = counted_below(least * (1 - 1e-6));
    high_ = counted_above(most * (1 + 1e-6));
  }
  ticks_ = log_ticks(low_, high_, true, 1);
  for (int stride = 1; ticks_.size() > std::max<std::size_t>(room, 2); ++stride) {
    ticks_ = log_ticks(low_, high_, false, stride);
  }
}

void Scale::be_percentile(double most, std::size_t room) {
  low_ = 1;
  high_ = std::max(most, 10.0);  // NOLINT: up to 90 % at least
  const int most_nines = static_cast<int>(std::floor(std::log10(high_ * (1 + kNearly))));
  int stride = 1;
  while (1 + most_nines / stride > std::max(static_cast<int>(room), 2)) ++stride;
  ticks_ = {{1, "0 %"}};
  const bool wide = 5 * most_nines <= 3 * static_cast<int>(room);  // 50 % is 0.3 of a nine from 0 %
  if (wide) ticks_.push_back({2, "50 %"});
  for (int nines = stride; nines <= most_nines; nines += stride) {
    const double value = std::pow(10, nines);
    ticks_.push_back(
        {value, fmt::format("{:.{}f} %", 100 * (1 - 1 / value), std::max(nines - 2, 0))});
  }
}

double Scale::at(double value) const {
  if (kind_ == AxisKind::linear) return value / high_;
  return std::log(value / low_) / std::log(high_ / low_);
}

bool Scale::has(AxisKind kind, double value) {
  return std::isfinite(value) && (kind == AxisKind::linear ? value >= 0 : value > 0);
}

}  // namespace sthd::plot
