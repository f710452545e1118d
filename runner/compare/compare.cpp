#include "runner/compare/compare.hpp"

#include <utility>

#include "runner/compare/differences.hpp"
#include "runner/compare/figure.hpp"

namespace sthd::compare {
namespace {

ComparedRow row_of(const Figure& figure) {
  ComparedRow row{.job = figure.job,
                  .label = figure.label,
                  .op = figure.op,
                  .metric = figure.column.metric,
                  .title = figure.column.title,
                  .unit = figure.column.unit,
                  .precision = figure.column.precision};
  if (row.title.empty()) row.title = figure.column.id;
  for (std::size_t side = 0; side < figure.sides.size(); ++side) {
    row.values.push_back(figure.value(side));
    if (side > 0) row.ratios.push_back(figure.ratio(side));
  }
  return row;
}

}  // namespace

Comparison compare(const Input& input) {
  Comparison comparison;
  for (std::size_t i = 0; i < input.reports.size(); ++i) {
    const Report& report = input.reports[i];
    comparison.sides.push_back({input.labels[i], report.run_id, report.started_utc});
  }
  Matches matches = match_rows(input);
  comparison.differences = differences(input, matches.rows);
  for (const Match& match : matches.rows) {
    for (const Figure& figure : figures_of(input, match)) {
      comparison.rows.push_back(row_of(figure));
    }
  }
  comparison.not_compared = std::move(matches.others);
  return comparison;
}

}  // namespace sthd::compare
