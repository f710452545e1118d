#include "kit/plot/layout.hpp"

#include <algorithm>

#include "kit/plot/style.hpp"

namespace sthd::plot {
namespace {

constexpr double kWidth = 900;
constexpr double kLeft = 84;        // room for the labels of the y axis
constexpr double kTop = 76;         // title and subtitle
constexpr double kRight = 28;       // half of the last label of the x axis
constexpr double kBelow = 58;       // labels and title of the x axis
constexpr double kLarge = 340;      // height of the only frame
constexpr double kMiddle = 180;     // height of one of two or four
constexpr double kSmall = 132;      // height of one of many
constexpr double kAcross = 28;      // between frames of a row
constexpr double kDown = 56;        // between rows
constexpr double kName = 18;        // of a small frame, above it
constexpr double kColumnWidth = 7;  // about that of a character

}  // namespace

double entry_width(const Series& series) {
  const std::size_t columns = columns_of(elided(series.label, kMostLegend));
  return kSwatch + kSwatchRoom + kColumnWidth * static_cast<double>(columns);
}

Layout::Layout(const Chart& chart)
    : panels_(chart.panels.size()), columns_(panels_ == 2 || panels_ == 4 ? 2 : 3), legend_(0) {
  if (!single()) return;
  for (const Series& series : chart.panels.front().series) {
    legend_ = std::max(legend_, entry_width(series));
  }
}

double Layout::width() const { return kWidth; }

double Layout::height() const { return frames().bottom() + kBelow; }

Rect Layout::frames() const {
  const Rect last = frame(panels_ - 1);
  const double right = single() ? last.right() : kWidth - kRight;
  return {kLeft, kTop, right - kLeft, last.bottom() - kTop};
}

Rect Layout::frame(std::size_t panel) const {
  if (single()) return {kLeft, kTop, kWidth - kLeft - kRight - legend_, kLarge};
  const auto columns = static_cast<double>(columns_);
  const double width = (kWidth - kLeft - kRight - (columns - 1) * kAcross) / columns;
  const double height = columns_ == 2 ? kMiddle : kSmall;
  const auto column = static_cast<double>(panel % columns_);
  const auto row = static_cast<double>(panel / columns_);
  return {kLeft + column * (width + kAcross), kTop + kName + row * (height + kDown), width, height};
}

bool Layout::is_first(std::size_t panel) const { return panel % columns_ == 0; }

std::vector<double> apart(std::vector<double> wanted, double top, double bottom) {
  double free = top;
  for (double& y : wanted) {
    y = std::max(y, free);
    free = y + kLine;
  }
  free = bottom;
  for (auto y = wanted.rbegin(); y != wanted.rend(); ++y) {
    *y = std::min(*y, free);
    free = *y - kLine;
  }
  return wanted;
}

}  // namespace sthd::plot
