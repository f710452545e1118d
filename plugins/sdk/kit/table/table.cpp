#include "kit/table/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "kit/table/delta.hpp"
#include "kit/table/environment.hpp"
#include "kit/table/expected_column.hpp"
#include "kit/table/number.hpp"
#include "kit/table/summary.hpp"
#include "sthd/metrics.hpp"
#include "sthd/text.hpp"

namespace sthd::table {
namespace {

/// What a cell shows: a direction of a record.
struct Source {
  const ResultRecord* record = nullptr;
  Op op = Op::read;
};

/// Jobs and finished records of one label.
struct Group {
  std::string_view label;
  std::size_t jobs = 0;  ///< planned
  std::vector<const ResultRecord*> records;
};

std::vector<Group> groups_of(const Report& report) {
  std::vector<Group> groups;
  const auto group_of = [&groups](std::string_view label) -> Group& {
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [label](const Group& group) { return group.label == label; });
    return found != groups.end() ? *found : groups.emplace_back(Group{label, 0, {}});
  };
  for (const Job& job : report.plan.jobs) ++group_of(job.label).jobs;
  for (const ResultRecord& record : report.records) {
    group_of(record.job.label).records.push_back(&record);
  }
  return groups;
}

Source source_of(const Group& group, const Column& column) {
  if (!column.op) {  // only where there is no choice, now or when the other jobs are done
    const bool single = group.records.size() == 1 && group.jobs <= 1;
    return single ? Source{group.records[0], group.records[0]->job.workload.op} : Source{};
  }
  Source source;
  for (const ResultRecord* record : group.records) {
    const Op op = record->job.workload.op;
    if (op == *column.op) return {record, op};
    if (op == Op::mixed) source = {record, *column.op};
  }
  return source;
}

/// Footnotes in order of appearance; the same text is the same mark.
class Footnotes {
 public:
  explicit Footnotes(std::vector<std::string>& texts) : texts_(texts) {}

  /// The mark of `text`; 0 for an empty one.
  std::size_t mark(std::string_view text) {
    if (text.empty()) return 0;
    const std::string shown = display(text);
    const auto found = std::find(texts_.begin(), texts_.end(), shown);
    if (found != texts_.end()) return static_cast<std::size_t>(found - texts_.begin()) + 1;
    texts_.push_back(shown);
    return texts_.size();
  }

 private:
  std::vector<std::string>& texts_;
};

bool applies(const Finding& finding, const Source& source) {
  if (finding.job != source.record->job.id) return false;
  return !finding.op || *finding.op == source.op || source.op == Op::mixed;
}

/// The short forms of all findings about a cell, the worst first: one footnote.
std::string marks_of(const std::vector<const Finding*>& worst_first, const Source& source) {
  std::string text;
  std::set<std::string_view> seen;
  for (const Finding* finding : worst_first) {
    if (finding->mark.empty() || !applies(*finding, source)) continue;
    if (!seen.insert(finding->mark).second) continue;
    text += text.empty() ? finding->mark : "; " + finding->mark;
  }
  return text;
}

Cell word_cell(const ResultRecord& record, Footnotes& footnotes) {
  const std::string_view word = to_text(record.status);
  Cell cell;
  cell.text = std::string(word);
  if (record.reason) cell.mark = footnotes.mark(fmt::format("{}: {}", word, *record.reason));
  return cell;
}

bool has_figures(const ResultRecord& record) {
  return record.status == Status::ok || record.status == Status::interrupted;
}

/// Of the twin that has this direction: "+12.3".
Cell delta_cell(const Report& report, const Group& group, Op op) {
  for (const ResultRecord* record : group.records) {
    const auto delta = ours_vs_fio_percent(report, *record, op);
    if (!delta) continue;
    constexpr double kShownAsZero = 0.05;
    Cell cell;
    cell.value = std::abs(*delta) < kShownAsZero ? 0 : *delta;
    cell.precision = 1;
    cell.text = fmt::format("{:+.1f}", *cell.value);
    return cell;
  }
  return {};
}

/// Whether its cells are medians, with a spread around them.
bool has_spread(const Job& job) {
  return job.workload.repeat > 1 && job.workload.score == Score::median;
}

/// Says by how much the repeats of a row differ.
void add_spread(const ResultRecord& record, Op op, std::string_view name, Cell& cell) {
  if (!cell.value || !has_spread(record.job)) return;
  const auto all = spread(record, op, name);
  if (!all || all->repeats < 2) return;
  constexpr double kWholePercent = 99.95;  // from here on 5 columns would not do
  const double percent = all->half_range_percent();
  cell.spread = fmt::format("±{:.{}f}%", percent, percent < kWholePercent ? 1 : 0);
  cell.text += ' ' + cell.spread;
}

Row row_of(const Group& group, const std::vector<Column>& columns,
           const std::vector<const Finding*>& worst_first, Footnotes& footnotes) {
  Row row;
  row.label = display(group.label);
  std::set<const ResultRecord*> named;  // those whose status the row already shows
  for (const Column& column : columns) {
    Cell& cell = row.cells.emplace_back();
    const Source source = source_of(group, column);
    if (source.record == nullptr) continue;
    if (!has_figures(*source.record)) {
      if (named.insert(source.record).second) cell = word_cell(*source.record, footnotes);
      continue;
    }
    cell = number_cell(column, typical(*source.record, source.op, column.metric));
    add_spread(*source.record, source.op, column.metric, cell);
    if (cell.value) cell.mark = footnotes.mark(marks_of(worst_first, source));
  }
  for (const ResultRecord* record : group.records) {
    if (record->status == Status::ok || named.count(record) != 0) continue;
    Cell remark = word_cell(*record, footnotes);
    if (group.jobs > 1)
      remark.text = fmt::format("{} {}", to_text(record->job.workload.op), remark.text);
    row.remarks.push_back(std::move(remark));
  }
  return row;
}

}  // namespace

Table build(const Report& report) {
  Table table;
  table.title = display(report.profile.title);
  for (const Column& column : report.columns) {
    table.titles.push_back(display(column.title.empty() ? column.id : column.title));
  }
  table.repeats = std::any_of(report.plan.jobs.begin(), report.plan.jobs.end(), has_spread);
  const std::vector<DeltaColumn> deltas = delta_columns(report);
  for (const DeltaColumn& delta : deltas) table.titles.push_back(delta.title);
  table.expected_width = expected_width(report);
  if (table.expected_width > 0) table.titles.emplace_back(kExpectedTitle);
  const std::vector<const Finding*> worst_first = sorted_findings(report);
  Footnotes footnotes(table.footnotes);
  for (const Group& group : groups_of(report)) {
    Row& row = table.rows.emplace_back(row_of(group, report.columns, worst_first, footnotes));
    for (const DeltaColumn& delta : deltas) {
      row.cells.push_back(delta_cell(report, group, delta.op));
    }
    if (table.expected_width > 0) row.cells.push_back(expected_cell(report, group.label));
  }
  table.environment = environment_line(report);
  table.findings = finding_lines(report, worst_first);
  table.facts = fact_lines(report);
  table.effects = effect_lines(report);
  table.layers = layer_lines(report);
  return table;
}

std::string mark_text(std::size_t mark) { return mark == 0 ? "" : fmt::format("[{}]", mark); }

}  // namespace sthd::table
