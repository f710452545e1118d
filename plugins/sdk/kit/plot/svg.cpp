#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include "kit/plot/chart.hpp"
#include "kit/plot/layout.hpp"
#include "kit/plot/style.hpp"
#include "kit/text/xml.hpp"

namespace sthd::plot {
namespace {

constexpr std::size_t kMostTitle = 100;
constexpr std::size_t kMostPanelTitle = 34;

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

bool can_show(AxisKind x, AxisKind y, const Point& point) {
  return point.y && Scale::has(x, point.x) && Scale::has(y, *point.y);
}

/// Draws one chart into `out_`.
class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart), layout_(chart) {
    Range x;
    Range y;
    for (const Panel& panel : chart.panels) {
      for (const Series& series : panel.series) {
        for (const Point& point : series.points) {
          if (!shows(point)) continue;
          x.add(point.x);
          y.add(*point.y);
        }
      }
    }
    constexpr double kLabel = 60;  // "99.999 %" and some space
    const auto room_x = static_cast<std::size_t>(layout_.frame(0).width / kLabel);
    constexpr std::size_t kRoomY = 8;
    constexpr std::size_t kSmallRoomY = 4;
    x_ = Scale(chart.x.kind, x.least, x.most, room_x, false);
    y_ = Scale(chart.y.kind, y.least, y.most, layout_.single() ? kRoomY : kSmallRoomY, true);
  }

  std::string text() && {
    head();
    for (std::size_t i = 0; i < chart_.panels.size(); ++i) panel(i);
    axis_titles();
    layout_.single() ? legend_beside() : legend_above();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }

  void head() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"title desc\">\n",
        layout_.width(), layout_.height());
    add("<title id=\"title\">{}</title>\n", text::xml_escaped(chart_.title));
    add("<desc id=\"desc\">{}</desc>\n", text::xml_escaped(chart_.description));
    out_ += style_sheet();
    add("<rect class=\"back\" x=\"0.5\" y=\"0.5\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"6\"/>\n",
        layout_.width() - 1, layout_.height() - 1);
    add("<text class=\"title\" x=\"24\" y=\"32\">{}</text>\n",
        short_text(chart_.title, kMostTitle));
    if (chart_.subtitle.empty()) return;
    add("<text x=\"24\" y=\"52\">{}</text>\n", short_text(chart_.subtitle, kMostTitle));
  }

  [[nodiscard]] static std::string short_text(std::string_view untrusted, std::size_t columns) {
    return text::xml_escaped(elided(untrusted, columns));
  }

  void panel(std::size_t index) {
    const Rect rect = layout_.frame(index);
    const Panel& panel = chart_.panels[index];
    grid(rect, layout_.is_first(index));
    if (!layout_.single()) {
      add("<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", rect.left, rect.top - 8,
          short_text(panel.title, kMostPanelTitle));
    }
    for (const Series& series : panel.series) line(rect, series);
  }

  void grid(const Rect& rect, bool y_labels) {
    for (const Tick& tick : y_.ticks()) {
      const double y = at_y(rect, tick.value);
      add("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", rect.left, y, rect.right());
      if (!y_labels) continue;
      add("<text class=\"y\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", rect.left - 8, y + 4,
          tick.label);
    }
    for (const Tick& tick : x_.ticks()) {
      const double x = at_x(rect, tick.value);
      add("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x, rect.top, rect.bottom());
      add("<text class=\"x\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x, rect.bottom() + 18,
          tick.label);
    }
    add("<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>\n", rect.left, rect.top,
        rect.bottom(), rect.right());
  }

  /// The parts of a line between its gaps; a part of one point is a dot.
  void line(const Rect& rect, const Series& series) {
    std::string part;
    std::size_t points = 0;
    const auto end = [&] {
      const std::size_t colour = series.colour % kColours;
      if (points > 1) add("<polyline class=\"line l{}\" points=\"{}\"/>\n", colour, part);
      if (points == 1) {
        const std::size_t comma = part.find(',');
        add("<circle class=\"f{}\" cx=\"{}\" cy=\"{}\" r=\"3\"/>\n", colour, part.substr(0, comma),
            part.substr(comma + 1));
      }
      part.clear();
      points = 0;
    };
    for (const Point& point : series.points) {
      if (!shows(point)) {
        end();
        continue;
      }
      part += fmt::format("{}{:.1f},{:.1f}", points == 0 ? "" : " ", at_x(rect, point.x),
                          at_y(rect, *point.y));
      ++points;
    }
    end();
  }

  void axis_titles() {
    const Rect all = layout_.frames();
    add("<text class=\"x\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", all.left + all.width / 2,
        layout_.height() - 14, text::xml_escaped(chart_.x.title));
    add("<text class=\"x\" transform=\"translate(20 {:.1f}) rotate(-90)\">{}</text>\n",
        all.top + all.height / 2, text::xml_escaped(chart_.y.title));
  }

  /// Each name beside the end of its line, as far as they leave room for each other.
  void legend_beside() {
    struct Entry {
      const Series* series;
      double y;
    };
    const Rect rect = layout_.frame(0);
    std::vector<Entry> entries;
    for (const Series& series : chart_.panels.front().series) {
      const auto last = std::find_if(series.points.rbegin(), series.points.rend(),
                                     [this](const Point& point) { return shows(point); });
      if (last != series.points.rend()) entries.push_back({&series, at_y(rect, *last->y)});
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.y < b.y; });
    std::vector<double> places;
    for (const Entry& entry : entries) places.push_back(entry.y);
    places = apart(std::move(places), rect.top, rect.bottom());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      legend_entry(rect.right() + 14, places[i], *entries[i].series);
    }
  }

  /// Each name once, in a line below the subtitle.
  void legend_above() {
    std::vector<const Series*> entries;
    for (const Panel& panel : chart_.panels) {
      for (const Series& series : panel.series) {
        const bool known = std::any_of(entries.begin(), entries.end(), [&series](const Series* e) {
          return e->label == series.label;
        });
        if (!known && entries.size() < kColours) entries.push_back(&series);
      }
    }
    double x = layout_.frames().right();
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
      x -= entry_width(**entry);
      legend_entry(x, 28, **entry);
    }
  }

  void legend_entry(double x, double y, const Series& series) {
    add("<path class=\"line l{}\" d=\"M{:.1f} {:.1f}h{:.0f}\"/>\n", series.colour % kColours, x, y,
        kSwatch);
    add("<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + kSwatch + 6, y + 4,
        short_text(series.label, kMostLegend));
  }

  [[nodiscard]] bool shows(const Point& point) const {
    return can_show(chart_.x.kind, chart_.y.kind, point);
  }
  [[nodiscard]] double at_x(const Rect& rect, double value) const {
    return rect.left + rect.width * x_.at(value);
  }
  [[nodiscard]] double at_y(const Rect& rect, double value) const {
    return rect.bottom() - rect.height * y_.at(value);
  }

  const Chart& chart_;
  Layout layout_;
  Scale x_{AxisKind::linear, 0, 1, 1, false};
  Scale y_{AxisKind::linear, 0, 1, 1, false};
  std::string out_;
};

}  // namespace

bool has_points(const Axis& x, const Axis& y, const std::vector<Point>& points) {
  return std::any_of(points.begin(), points.end(),
                     [&](const Point& point) { return can_show(x.kind, y.kind, point); });
}

std::string svg(const Chart& chart) { return Drawing(chart).text(); }

}  // namespace sthd::plot
