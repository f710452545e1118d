#pragma once

#include <cstddef>
#include <vector>

#include "kit/plot/chart.hpp"

// Where the parts of a chart stand, in px.
namespace sthd::plot {

inline constexpr double kLine = 18;             ///< between entries of a legend
inline constexpr double kSwatch = 18;           ///< length of their lines
inline constexpr double kSwatchRoom = 24;       ///< around them and their names
inline constexpr std::size_t kMostLegend = 26;  ///< columns of a name

struct Rect {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
};

/// A chart with one frame has its legend beside it. Of two or four, two stand in a row; of others,
/// three.
class Layout {
 public:
  explicit Layout(const Chart& chart);

  [[nodiscard]] bool single() const { return panels_ == 1; }
  [[nodiscard]] double width() const;
  [[nodiscard]] double height() const;
  [[nodiscard]] Rect frame(std::size_t panel) const;
  /// All frames together.
  [[nodiscard]] Rect frames() const;
  /// Whether its y axis is labelled: the first of a row.
  [[nodiscard]] bool is_first(std::size_t panel) const;

 private:
  std::size_t panels_;
  std::size_t columns_;
  double legend_;  ///< its width beside the only frame
};

/// Of the entry of a legend: line, name and margins.
double entry_width(const Series& series);

/// `wanted` (ascending), moved as little as it takes for all to be kLine apart and between `top`
/// and `bottom`.
std::vector<double> apart(std::vector<double> wanted, double top, double bottom);

}  // namespace sthd::plot
