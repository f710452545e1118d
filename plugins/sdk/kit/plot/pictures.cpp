#include "kit/plot/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "kit/chart/course.hpp"
#include "kit/chart/latency.hpp"
#include "kit/plot/chart.hpp"
#include "sthd/metrics.hpp"

namespace sthd::plot {
namespace {

using chart::Direction;

constexpr std::size_t kMostLines = 6;  // in one frame
constexpr std::size_t kMostFrames = 60;

/// A line and whose it is.
struct Line {
  Direction row;
  std::string suffix;  ///< " response", " sync" of those histograms
  std::vector<Point> points;
};

void add_latency(const Direction& row, std::vector<Line>& lines) {
  const std::size_t name = chart::row_name(row.record->job, row.op).size();
  for (const chart::LatencyCurve& curve : chart::latency_curves(*row.record, row.op)) {
    Line line{row, curve.name.substr(name), {}};
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const auto& ns = curve.points[i].latency_ns;
      if (!ns) continue;
      const double beyond = 1 - chart::grid_percents()[i] / 100;
      line.points.push_back({1 / beyond, *ns / kMicrosecond});
    }
    lines.push_back(std::move(line));
  }
}

/// Each slice's figure stands in its middle.
void add_course(const Direction& row, std::size_t most,
                std::optional<double> chart::CoursePoint::*figure, std::vector<Line>& lines) {
  const auto course = chart::course_of(*row.record, row.op, most);
  if (!course) return;
  Line line{row, {}, {}};
  double begin_s = 0;
  for (const chart::CoursePoint& point : course->points) {
    line.points.push_back({(begin_s + point.end_s) / 2, point.*figure});
    begin_s = point.end_s;
  }
  lines.push_back(std::move(line));
}

void add_throughput(const Direction& row, std::vector<Line>& lines) {
  add_course(row, kMostSamples, &chart::CoursePoint::mb_per_s, lines);
}

/// A p99 takes 100 I/Os: slices that have twice as many in the mean.
void add_p99(const Direction& row, std::vector<Line>& lines) {
  constexpr std::uint64_t kEnough = 200;
  const auto result = merged(*row.record, row.op);
  if (!result) return;
  const std::uint64_t most = std::clamp<std::uint64_t>(result->ios / kEnough, 1, kMostSamples);
  add_course(row, most, &chart::CoursePoint::p99_us, lines);
}

/// What a picture shows of each row.
struct Kind {
  const char* name;
  const char* title;
  Axis x;
  Axis y;
  void (*add)(const Direction&, std::vector<Line>&);
  std::vector<const char*> figures;  ///< metrics that describe it in words
};

std::vector<Kind> kinds() {
  const Axis percentile{"percentile of the I/Os", AxisKind::percentile};
  const Axis time{"time, s", AxisKind::linear};
  const Axis latency{"latency, us", AxisKind::log};
  const Axis rate{"MB/s", AxisKind::linear};
  return {
      {kLatency, "Latency by percentile", percentile, latency, add_latency, {"lat.p50", "lat.p99"}},
      {kThroughput, "Throughput over time", time, rate, add_throughput, {"bw"}},
      {kP99, "p99 latency over time", time, latency, add_p99, {"lat.p99"}}};
}

std::string op_word(const Line& line) { return std::string(to_text(line.row.op)) + line.suffix; }

/// All lines in one frame: "4K sync T1", with the direction where there are two.
std::vector<Panel> one_frame(std::vector<Line>& lines) {
  const bool both = std::any_of(lines.begin(), lines.end(), [&lines](const Line& line) {
    return line.row.op != lines.front().row.op;
  });
  Panel panel;
  for (Line& line : lines) {
    std::string label = line.row.record->job.label;
    label += both ? fmt::format(" {}", op_word(line)) : line.suffix;
    panel.series.push_back({std::move(label), panel.series.size(), std::move(line.points)});
  }
  return {std::move(panel)};
}

/// A frame for each label, with a line for each direction; the same name has the same colour.
std::vector<Panel> many_frames(std::vector<Line>& lines) {
  std::vector<Panel> panels;
  std::vector<std::string> names;
  for (Line& line : lines) {
    const std::string& label = line.row.record->job.label;
    auto panel = std::find_if(panels.begin(), panels.end(),
                              [&label](const Panel& known) { return known.title == label; });
    if (panel == panels.end()) panel = panels.insert(panels.end(), Panel{label, {}});
    const std::string name = op_word(line);
    auto colour = std::find(names.begin(), names.end(), name);
    if (colour == names.end()) colour = names.insert(names.end(), name);
    panel->series.push_back(
        {name, static_cast<std::size_t>(colour - names.begin()), std::move(line.points)});
  }
  return panels;
}

std::string figure_text(const Direction& row, const char* metric_name) {
  const auto figure = typical(*row.record, row.op, metric_name);
  if (!figure) return {};
  const std::string_view name = metric_name;
  if (name == "bw") return fmt::format("{:.2f} MB/s", figure->value / kMB);
  return fmt::format("{} {:.1f} us", name.substr(name.find('.') + 1), figure->value / kMicrosecond);
}

/// "Latency by percentile, … 4K sync T1 write: p50 85.5 us, p99 185.3 us. …", of the first rows.
std::string described(const Kind& kind, const std::vector<Line>& lines) {
  constexpr std::size_t kMost = 16;
  std::string text = fmt::format("{}: {} against {}.", kind.title, kind.y.title, kind.x.title);
  for (std::size_t i = 0; i < std::min(lines.size(), kMost); ++i) {
    if (!lines[i].suffix.empty()) continue;
    std::vector<std::string> figures;
    for (const char* metric_name : kind.figures) {
      std::string figure = figure_text(lines[i].row, metric_name);
      if (!figure.empty()) figures.push_back(std::move(figure));
    }
    if (figures.empty()) continue;
    text += fmt::format(" {} {}: {}.", lines[i].row.record->job.label, to_text(lines[i].row.op),
                        fmt::join(figures, ", "));
  }
  if (lines.size() > kMost) text += fmt::format(" And {} more.", lines.size() - kMost);
  return text;
}

/// "slog on /mnt/pool (zfs), 2025-01-02T03:04:05Z", as far as it is known.
std::string subtitle_of(const Report& report, std::size_t frames) {
  std::string text = report.profile.name;
  if (!report.target.path.empty()) text += " on " + report.target.path;
  if (!report.target.filesystem.empty()) text += fmt::format(" ({})", report.target.filesystem);
  if (!report.started_utc.empty()) text += ", " + report.started_utc;
  if (frames > kMostFrames) text += fmt::format("; the first {} of {} rows", kMostFrames, frames);
  return text;
}

std::optional<Picture> picture_of(const Report& report, const Kind& kind) {
  std::vector<Line> lines;
  for (const Direction& row : chart::measured_directions(report)) kind.add(row, lines);
  std::erase_if(lines,
                [&kind](const Line& line) { return !has_points(kind.x, kind.y, line.points); });
  if (lines.empty()) return std::nullopt;
  Chart chart{kind.title, {}, described(kind, lines), kind.x, kind.y, {}};
  chart.panels = lines.size() > kMostLines ? many_frames(lines) : one_frame(lines);
  chart.subtitle = subtitle_of(report, chart.panels.size());
  if (chart.panels.size() > kMostFrames) chart.panels.resize(kMostFrames);
  return Picture{kind.name, kind.title, svg(chart)};
}

}  // namespace

std::vector<Picture> pictures(const Report& report) {
  std::vector<Picture> all;
  for (const Kind& kind : kinds()) {
    if (auto picture = picture_of(report, kind)) all.push_back(std::move(*picture));
  }
  return all;
}

}  // namespace sthd::plot
