#include "runner/compare/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kit/table/expected.hpp"
#include "kit/table/number.hpp"
#include "runner/compare/interval.hpp"
#include "sthd/metrics.hpp"

namespace sthd::compare {
namespace {

constexpr std::string_view kBlank = " \t";

Error refused(std::string sentence) { return {ErrorCode::refused, std::move(sentence), 0}; }

/// The last word of `text`, which loses it.
std::string_view take_last(std::string_view& text) {
  text = trimmed(text);
  const std::size_t blank = text.find_last_of(kBlank);
  const std::string_view word = blank == std::string_view::npos ? text : text.substr(blank + 1);
  text = trimmed(text.substr(0, text.size() - word.size()));
  return word;
}

bool has_op(Op row, Op wanted) { return row == wanted || row == Op::mixed; }

/// Title, unit and precision of a metric: those of the profile's column, where it has one.
Column column_for(const Report& report, std::string_view metric, Op op) {
  for (const Column& column : report.columns) {
    if (column.metric == metric && (!column.op || *column.op == op)) return column;
  }
  Column column = table::metric_column(metric);
  column.title =
      column.unit.empty() ? column.metric : fmt::format("{} ({})", column.metric, column.unit);
  return column;
}

/// Rows of any side that have that id, or else that label.
std::vector<const ResultRecord*> rows_called(const Input& input, const FigureName& name) {
  std::vector<const ResultRecord*> by_id;
  std::vector<const ResultRecord*> by_label;
  for (const Report& report : input.reports) {
    for (const ResultRecord& row : report.records) {
      if (row.job.id == name.row) by_id.push_back(&row);
      if (row.job.label != name.row) continue;
      if (!name.op || has_op(row.job.workload.op, *name.op)) by_label.push_back(&row);
    }
  }
  return by_id.empty() ? by_label : by_id;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

Outcome<FigureName> parse_figure(std::string_view text) {
  std::string_view left = text;
  FigureName name;
  name.metric = take_last(left);
  if (!is_metric(name.metric)) {
    return refused(
        fmt::format("\"{}\" is no metric; there are iops, bw, bytes, seconds, lat.p50, lat.p99, "
                    "lat.mean and more, as in sync4k/threads=1 lat.p99",
                    name.metric));
  }
  std::string_view before = left;
  if (const auto op = from_text<Op>(take_last(before)); op && !before.empty()) {
    name.op = op;
    left = before;
  }
  name.row = left;
  if (name.row.empty()) {
    return refused(
        fmt::format("\"{}\" names no row, as sync4k/threads=1 {} does", name.metric, name.metric));
  }
  return name;
}

std::optional<double> Figure::value(std::size_t side) const {
  if (sides[side] == nullptr) return std::nullopt;
  return table::number_cell(column, typical(*sides[side], op, column.metric)).value;
}

std::string Figure::text(std::size_t side) const {
  if (sides[side] == nullptr) return {};
  return table::number_cell(column, typical(*sides[side], op, column.metric)).text;
}

Ratio Figure::ratio(std::size_t side) const {
  const ResultRecord* first = sides.front();
  const ResultRecord* other = sides[side];
  if (first == nullptr || other == nullptr) return {};
  const bool of_amount = column.metric == "seconds" || column.metric == "bytes";
  if (of_amount && !same_amount(first->job.workload, other->job.workload)) return {};
  return ratio_of(*first, *other, op, column.metric);
}

std::vector<Figure> figures_of(const Input& input, const Match& row) {
  const Job& job = row.first().job;
  std::vector<Figure> figures;
  for (const Column& column : input.reports.front().columns) {
    const Op op = column.op.value_or(job.workload.op);
    if (!has_op(job.workload.op, op)) continue;
    Figure figure{job.id, job.label, op, column, row.sides};
    bool known = false;
    for (std::size_t side = 0; side < row.sides.size(); ++side) {
      known = known || figure.value(side).has_value();
    }
    if (known) figures.push_back(std::move(figure));
  }
  return figures;
}

Outcome<Figure> find_figure(const Input& input, const Matches& matches, const FigureName& name) {
  const auto rows = rows_called(input, name);
  if (rows.empty()) return refused(fmt::format("no record has a row \"{}\"", name.row));
  const Job& job = rows.front()->job;
  const auto other = std::find_if(
      rows.begin(), rows.end(), [&job](const ResultRecord* row) { return row->job.id != job.id; });
  if (other != rows.end()) {
    return refused(fmt::format("\"{}\" is the label of several rows; name one by its id: {} or {}",
                               name.row, job.id, (*other)->job.id));
  }
  const Op op = name.op.value_or(job.workload.op);
  if (!has_op(job.workload.op, op)) {
    return refused(fmt::format("the row \"{}\" does no {}", name.row, to_text(op)));
  }
  Figure figure{job.id, job.label, op, column_for(input.reports.front(), name.metric, op), {}};
  const auto match = std::find_if(matches.rows.begin(), matches.rows.end(),
                                  [&job](const Match& m) { return m.first().job.id == job.id; });
  figure.sides = match == matches.rows.end()
                     ? std::vector<const ResultRecord*>(input.reports.size())
                     : match->sides;
  return figure;
}

}  // namespace sthd::compare
