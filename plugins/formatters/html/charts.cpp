#include <fmt/format.h>

#include <algorithm>

#include "kit/chart/course.hpp"
#include "kit/chart/latency.hpp"
#include "kit/table/number.hpp"
#include "markup.hpp"
#include "sections.hpp"
#include "sthd/metrics.hpp"
#include "tables.hpp"

namespace sthd::html {
namespace {

/// Of a row, where `rows` share the page: what a screen can show, and not too much to mail.
std::size_t slices_for(std::size_t rows) {
  constexpr std::size_t kAll = 3000;
  constexpr std::size_t kLeast = 60;
  return std::clamp(kAll / std::max<std::size_t>(rows, 1), kLeast, kMostSamples);
}

/// Says what is left out, where `all` rows are more than are drawn.
std::string left_out(std::size_t all) {
  if (all <= kMostCurves) return {};
  return fmt::format("<p>The first {} of {} are shown; -f timeseries and -f json have all.</p>\n",
                     kMostCurves, all);
}

std::vector<std::string> layer_names(const Report& report) {
  std::vector<std::string> names;
  for (const ResultRecord& record : report.records) {
    for (const Layer& layer : record.verdict.layers) {
      if (std::find(names.begin(), names.end(), layer.name) == names.end()) {
        names.push_back(layer.name);
      }
    }
  }
  return names;
}

std::vector<std::string> layer_cells(const std::vector<Layer>& layers,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> cells;
  for (const std::string& name : names) {
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&name](const Layer& layer) { return layer.name == name; });
    cells.push_back(found == layers.end() ? "" : number_text(found->mean_ns / 1e3, 1));
  }
  return cells;
}

/// A row a row, a column a repeat; empty where nothing of this column was repeated.
std::string repeats_table(const Report& report, const Column& column, const std::string& title) {
  std::vector<std::pair<std::string, std::vector<double>>> rows;
  std::size_t most = 1;
  for (const auto& [record, op] : chart::measured_directions(report)) {
    if (record->job.workload.repeat <= 1 || column.op.value_or(op) != op) continue;
    rows.emplace_back(chart::row_name(record->job, op), by_repeat(*record, op, column.metric));
    most = std::max(most, rows.back().second.size());
  }
  if (most == 1) return {};
  std::vector<std::string> heads{"Row"};
  for (std::size_t i = 1; i <= most; ++i) heads.push_back(fmt::format("repeat {}", i));
  TableText table(title + ", each repeat", heads, Align::numbers);
  const double unit = table::unit_size(column.metric, column.unit);
  for (const auto& [name, values] : rows) {
    std::vector<std::string> cells(most);
    for (std::size_t i = 0; i < values.size(); ++i) {
      cells[i] = number_text(values[i] / unit, column.precision);
    }
    table.row(name, cells);
  }
  return table.text();
}

}  // namespace

std::string latency_section(const Report& report) {
  std::vector<chart::Direction> rows = chart::measured_directions(report);
  const std::string note = left_out(rows.size());
  rows.resize(std::min(rows.size(), kMostCurves));
  std::vector<chart::LatencyCurve> curves;
  for (const chart::Direction& row : rows) {
    for (chart::LatencyCurve& curve : chart::latency_curves(*row.record, row.op)) {
      curves.push_back(std::move(curve));
    }
  }
  if (curves.empty()) return {};
  std::vector<std::string> names;
  for (const chart::LatencyCurve& curve : curves) names.push_back(curve.name);
  return section("Latency", plot("latency", "Latency by percentile",
                                 latency_table("Latency by percentile (us)", curves, names)) +
                                note);
}

std::string course_section(const Report& report) {
  std::vector<chart::Direction> rows = chart::measured_directions(report);
  const std::string note = left_out(rows.size());
  rows.resize(std::min(rows.size(), kMostCurves));
  std::string body;
  for (const chart::Direction& row : rows) {
    const auto course = chart::course_of(*row.record, row.op, slices_for(rows.size()));
    if (!course) continue;
    body += plot("course", course->name, course_table(*course) + disks_table(*course));
  }
  return section("Over time", body.empty() ? body : body + note);
}

std::string layers_section(const Report& report) {
  const std::vector<std::string> names = layer_names(report);
  if (names.empty()) return {};
  std::vector<std::string> heads{"Row"};
  for (const std::string& name : names) heads.push_back(name + " (us)");
  TableText table("Mean latency by layer (us)", heads, Align::numbers);
  for (const ResultRecord& record : report.records) {
    if (record.verdict.layers.empty()) continue;
    table.row(chart::row_name(record.job, record.job.workload.op),
              layer_cells(record.verdict.layers, names));
  }
  return section("Where the time goes", plot("layers", "Mean latency by layer", table.text()));
}
std::string repeats_section(const Report& report) {
  std::string body;
  for (const Column& column : report.columns) {
    const std::string title = column.title.empty() ? column.id : column.title;
    const std::string table = repeats_table(report, column, title);
    if (!table.empty()) body += plot("repeats", title, table);
  }
  return section("Repeats", body);
}

}  // namespace sthd::html
