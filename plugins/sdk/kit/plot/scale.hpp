#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sthd::plot {

enum class AxisKind {
  linear,     ///< from 0 on
  log,        ///< what is not positive has no place on it
  percentile  ///< 1 / (1 - q), logarithmic: 1 is 0 %, 10 is 90 %, 100 is 99 %, as HdrHistogram
              ///< plots
};

struct Tick {
  double value = 0;
  std::string label;
};

/// Where the values of an axis lie, and which of them are labelled.
class Scale {
 public:
  /// For values from `least` to `most`, with about `room` labels. `log` ends at values that people
  /// count in (1, 2 or 5 times a power of ten), `linear` at a labelled one where it is `rounded`;
  /// otherwise an axis ends where its values do.
  Scale(AxisKind kind, double least, double most, std::size_t room, bool rounded);

  /// 0 at the low end, 1 at the high one.
  [[nodiscard]] double at(double value) const;
  /// Whether such a scale can show it: finite, and not negative, or positive where it is
  /// logarithmic.
  static bool has(AxisKind kind, double value);
  [[nodiscard]] const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  void be_linear(double most, std::size_t room, bool rounded);
  void be_log(double least, double most, std::size_t room);
  void be_percentile(double most, std::size_t room);

  AxisKind kind_;
  double low_ = 0;
  double high_ = 1;
  std::vector<Tick> ticks_;
};

}  // namespace sthd::plot
