#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kit/plot/scale.hpp"

namespace sthd::plot {

struct Point {
  double x = 0;
  std::optional<double> y;  ///< unset = not known: the line is interrupted
};

/// A line with its name in the legend.
struct Series {
  std::string label;       ///< untrusted
  std::size_t colour = 0;  ///< which of kColours
  std::vector<Point> points;
};
inline constexpr std::size_t kColours = 6;

/// A frame with its lines; all frames of a chart have the same axes.
struct Panel {
  std::string title;  ///< untrusted; not shown where there is only one
  std::vector<Series> series;
};

struct Axis {
  std::string title;  ///< with its unit: "MB/s"
  AxisKind kind = AxisKind::linear;
};

struct Chart {
  std::string title;
  std::string subtitle;     ///< untrusted; may be empty
  std::string description;  ///< what is seen, in words, for those who cannot see it; untrusted
  Axis x;
  Axis y;
  std::vector<Panel> panels;
};

/// Whether the axes can show one of the points.
bool has_points(const Axis& x, const Axis& y, const std::vector<Point>& points);

/// The chart as an SVG file: one large frame with its legend at the right, or small ones with
/// common axes. It has its own background, light or dark as the reader prefers, no script, and
/// fonts of the reader's system. Precondition: some line has_points().
std::string svg(const Chart& chart);

}  // namespace sthd::plot
