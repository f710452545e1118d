#include <algorithm>

#include "kit/chart/course.hpp"
#include "kit/chart/latency.hpp"
#include "markup.hpp"
#include "sections.hpp"
#include "tables.hpp"

namespace sthd::html {
namespace {

/// A direction of a row that is on several sides.
struct Common {
  std::string name;
  std::vector<std::string> sides;
  std::vector<chart::Direction> rows;
};

bool is_left_out(const Comparison& comparison, const std::string& label) {
  return std::any_of(comparison.not_compared.begin(), comparison.not_compared.end(),
                     [&label](const NotCompared& row) { return row.label == label; });
}

std::vector<Common> common_rows(const FormatInput& input) {
  std::vector<Common> all;
  if (input.reports.empty()) return all;
  const Comparison& comparison = *input.comparison;
  for (const chart::Direction& first : chart::measured_directions(input.reports.front())) {
    Common common{chart::row_name(first.record->job, first.op), {}, {}};
    for (std::size_t i = 0; i < input.reports.size() && i < comparison.sides.size(); ++i) {
      for (const chart::Direction& row : chart::measured_directions(input.reports[i])) {
        if (row.op != first.op || row.record->job.id != first.record->job.id) continue;
        common.sides.push_back(comparison.sides[i].label);
        common.rows.push_back(row);
      }
    }
    if (common.rows.size() > 1 && !is_left_out(comparison, first.record->job.label)) {
      all.push_back(std::move(common));
    }
  }
  all.resize(std::min(all.size(), kMostCurves / 2));
  return all;
}

std::string latencies_of(const std::vector<Common>& rows) {
  std::string body;
  for (const Common& common : rows) {
    std::vector<chart::LatencyCurve> curves;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < common.rows.size(); ++i) {
      auto of_side = chart::latency_curves(*common.rows[i].record, common.rows[i].op);
      if (of_side.empty()) continue;
      curves.push_back(std::move(of_side.front()));
      names.push_back(common.sides[i]);
    }
    if (curves.empty()) continue;
    body += plot("latency", common.name, latency_table(common.name + " (us)", curves, names));
  }
  return section("Latency by percentile", body);
}

std::string courses_of(const std::vector<Common>& rows) {
  constexpr std::size_t kSlices = 120;
  std::string body;
  for (const Common& common : rows) {
    std::vector<chart::Course> courses;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < common.rows.size(); ++i) {
      auto course = chart::course_of(*common.rows[i].record, common.rows[i].op, kSlices);
      if (!course) continue;
      courses.push_back(std::move(*course));
      names.push_back(common.sides[i]);
    }
    if (courses.empty()) continue;
    body += plot("sides", common.name, sides_table(courses, names));
  }
  return section("Over time", body);
}

}  // namespace

std::string overlay_sections(const FormatInput& input) {
  const std::vector<Common> rows = common_rows(input);
  return latencies_of(rows) + courses_of(rows);
}

}  // namespace sthd::html
