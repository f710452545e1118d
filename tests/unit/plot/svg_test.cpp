#include <string>
#include <string_view>

#include "kit/plot/chart.hpp"
#include "support/catch.hpp"

namespace sthd::plot {
namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// One frame with one line called "a": its frame reaches from 84,76 to 823,416 (the legend takes 18
/// + 24 + 7 of the 788 to the right margin).
Chart chart_of(std::vector<Point> points) {
  Chart chart{"Title", "sub", "words", {"s", AxisKind::linear}, {"MB/s", AxisKind::linear}, {}};
  chart.panels.push_back({"", {{"a", 0, std::move(points)}}});
  return chart;
}

TEST_CASE("Known points have known places", "[plot][svg]") {
  const std::string text = svg(chart_of({{0, 0.0}, {5, 50.0}, {10, 100.0}}));
  CHECK(has(text, "<polyline class=\"line l0\" points=\"84.0,416.0 453.5,246.0 823.0,76.0\"/>"));
}

TEST_CASE("A gap interrupts a line, and a point alone is a dot", "[plot][svg]") {
  const std::string text = svg(chart_of(
      {{0, 0.0}, {2, 100.0}, {4, std::nullopt}, {5, 50.0}, {6, std::nullopt}, {10, 100.0}}));
  CHECK(count(text, "<polyline ") == 1);
  CHECK(count(text, "<circle ") == 2);
  CHECK(has(text, "<circle class=\"f0\" cx=\"453.5\" cy=\"246.0\" r=\"3\"/>"));
}

TEST_CASE("One point is a chart, no point is none", "[plot][svg]") {
  CHECK(count(svg(chart_of({{5, 50.0}})), "<circle ") == 1);
  const Axis linear{"", AxisKind::linear};
  const Axis log{"", AxisKind::log};
  CHECK_FALSE(has_points(linear, linear, {}));
  CHECK_FALSE(has_points(linear, linear, {{1, std::nullopt}}));
  CHECK_FALSE(has_points(linear, log, {{1, 0.0}}));
  CHECK(has_points(linear, linear, {{1, 0.0}}));
}

TEST_CASE("A chart says what it is to those who cannot see it, and brings no script",
          "[plot][svg]") {
  const std::string text = svg(chart_of({{0, 0.0}, {5, 50.0}}));
  CHECK(has(text, "role=\"img\" aria-labelledby=\"title desc\""));
  CHECK(has(text, "<title id=\"title\">Title</title>"));
  CHECK(has(text, "<desc id=\"desc\">words</desc>"));
  CHECK(has(text, "prefers-color-scheme:dark"));
  CHECK_FALSE(has(text, "<script"));
  CHECK_FALSE(has(text, "url("));
  CHECK_FALSE(has(text, "href"));
}

TEST_CASE("Hostile texts are shown and do nothing", "[plot][svg]") {
  Chart chart = chart_of({{0, 0.0}, {5, 50.0}});
  const std::string hostile = "</text><script>x</script>&\x1b]0;\xff\"'";
  chart.title = chart.subtitle = chart.description = hostile;
  chart.panels[0].series[0].label = hostile;
  chart.panels.push_back({hostile, chart.panels[0].series});
  for (const std::string& text : {svg(chart), svg({hostile,
                                                   hostile,
                                                   hostile,
                                                   {hostile, AxisKind::linear},
                                                   {hostile, AxisKind::linear},
                                                   {chart.panels[0]}})}) {
    CHECK_FALSE(has(text, "<script"));
    CHECK_FALSE(has(text, "\x1b"));
    CHECK(has(text, "&lt;/text&gt;&lt;script&gt;"));
    CHECK(has(text, "&amp;"));
  }
}

TEST_CASE("Long names are cut, and wide ones as they are wide", "[plot][svg]") {
  Chart chart = chart_of({{0, 0.0}, {5, 50.0}});
  chart.panels[0].series[0].label = std::string(40, 'x');
  CHECK(has(svg(chart), ">" + std::string(25, 'x') + "…<"));
  chart.panels[0].series[0].label.clear();
  for (int i = 0; i < 20; ++i) chart.panels[0].series[0].label += "幅";
  CHECK(count(svg(chart), "幅") == 12);
}

TEST_CASE("Names in a legend keep their distance and stay inside the frame", "[plot][svg]") {
  Chart chart = chart_of({{0, 0.0}, {10, 0.0}});
  chart.panels[0].series.push_back({"b", 1, {{0, 0.0}, {10, 0.0}}});
  chart.panels[0].series.push_back({"c", 2, {{0, 0.0}, {10, 100.0}}});
  const std::string text = svg(chart);
  CHECK(has(text, "d=\"M837.0 76.0h18\""));
  CHECK(has(text, "d=\"M837.0 398.0h18\""));
  CHECK(has(text, "d=\"M837.0 416.0h18\""));
}

TEST_CASE("Several frames have one pair of axes, their names, and each line's name once",
          "[plot][svg]") {
  Chart chart = chart_of({{0, 0.0}, {10, 100.0}});
  chart.panels[0].title = "first";
  chart.panels.push_back({"second", {{"a", 0, {{0, 50.0}, {10, 50.0}}}, {"b", 1, {{1, 1.0}}}}});
  const std::string text = svg(chart);
  CHECK(has(text, ">first</text>"));
  CHECK(has(text, ">second</text>"));
  CHECK(count(text, "<text class=\"name\"") == 4);
  CHECK(has(text, "points=\"84.0,274.0 464.0,94.0\""));
  CHECK(has(text, "points=\"492.0,184.0 872.0,184.0\""));
}

}  // namespace
}  // namespace sthd::plot
