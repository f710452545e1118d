#include "kit/table/comparison_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "sthd/text.hpp"

namespace sthd::table {
namespace {

std::string value_text(std::optional<double> value, int precision) {
  if (!value || !std::isfinite(*value)) return {};
  return fmt::format("{:.{}f}", *value, std::clamp(precision, 0, 9));
}

/// So many that a difference that was shown does not read 1.00.
int decimals_of(const Ratio& ratio) {
  constexpr double kSmall = 0.1;
  constexpr double kNear = 0.005;
  const bool differs = ratio.change == Change::better || ratio.change == Change::worse;
  const bool near =
      std::abs(ratio.low.value_or(0) - 1) < kNear || std::abs(ratio.high.value_or(0) - 1) < kNear;
  return *ratio.ratio < kSmall || (differs && near) ? 3 : 2;
}

std::string label_of(const Comparison& comparison, std::size_t side) {
  return display(comparison.sides[side].label);
}

std::vector<std::string> labels_after(std::string_view head, const Comparison& comparison) {
  std::vector<std::string> titles{std::string(head)};
  for (std::size_t i = 0; i < comparison.sides.size(); ++i) {
    titles.push_back(label_of(comparison, i));
  }
  return titles;
}

ComparisonPart differences_part(const Comparison& comparison) {
  ComparisonPart part{.title = "What differs"};
  if (comparison.differences.empty()) {
    part.notes = {"The records know of nothing that differs beside the figures."};
    return part;
  }
  part.titles = labels_after("", comparison);
  for (const Difference& difference : comparison.differences) {
    std::vector<std::string> row{display(difference.what)};
    for (const std::string& value : difference.values) {
      row.push_back(value.empty() ? "unknown" : display(value));
    }
    part.rows.push_back(std::move(row));
  }
  return part;
}

std::vector<std::string> row_titles(const Comparison& comparison) {
  std::vector<std::string> titles{"Test", "Metric", label_of(comparison, 0)};
  for (std::size_t i = 1; i < comparison.sides.size(); ++i) {
    titles.push_back(label_of(comparison, i));
    titles.push_back(fmt::format("{} / {}", label_of(comparison, i), label_of(comparison, 0)));
  }
  return titles;
}

ComparisonPart rows_part(const Comparison& comparison) {
  ComparisonPart part{.title = "Figures", .titles = row_titles(comparison), .numbers = true};
  for (const ComparedRow& row : comparison.rows) {
    std::vector<std::string> cells{display(fmt::format("{} {}", row.label, to_text(row.op))),
                                   display(row.title)};
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      cells.push_back(value_text(row.values[i], row.precision));
      if (i > 0 && i <= row.ratios.size()) cells.push_back(ratio_text(row.ratios[i - 1]));
    }
    part.rows.push_back(std::move(cells));
  }
  part.notes = {
      fmt::format("Ratios to {} with their 95 % intervals, from the repeats of a row, or "
                  "from the course of one that was measured once; none shown: the "
                  "interval holds 1.",
                  label_of(comparison, 0))};
  return part;
}

ComparisonPart stages_part(const StageTable& stages) {
  ComparisonPart part{.title = "Stages", .titles = {display(stages.label_title)}, .numbers = true};
  for (const std::string& title : stages.titles) part.titles.push_back(display(title));
  for (const StageTable::Row& row : stages.rows) {
    std::vector<std::string> cells{display(row.label)};
    for (const std::string& cell : row.cells) cells.push_back(display(cell));
    part.rows.push_back(std::move(cells));
  }
  if (!stages.sentence.empty()) part.notes = {display(stages.sentence)};
  return part;
}

ComparisonPart not_compared_part(const Comparison& comparison) {
  ComparisonPart part{.title = "Not compared", .titles = {"Test", "Why"}};
  for (const NotCompared& row : comparison.not_compared) {
    part.rows.push_back({display(row.label), display(row.reason)});
  }
  return part;
}

ComparisonPart limits_part(const Comparison& comparison) {
  ComparisonPart part{.title = "Limits"};
  for (const LimitResult& limit : comparison.limits) {
    part.notes.push_back(
        display(fmt::format("{}: {}. {}", limit.limit, to_text(limit.verdict), limit.text)));
  }
  return part;
}

// Lines.

Field text_field(std::string name, std::string_view text) {
  return {std::move(name), display(text), false};
}

Field number_field(std::string name, std::optional<double> value) {
  const bool known = value && std::isfinite(*value);
  return {std::move(name), known ? fmt::format("{:.12g}", *value) : "", true};
}

std::vector<Field> line_of(const ComparedRow& row, std::string_view side,
                           std::optional<double> value, const Ratio* ratio) {
  const Ratio none;
  const Ratio& shown = ratio == nullptr ? none : *ratio;
  return {text_field("job", row.job),
          text_field("label", row.label),
          text_field("op", to_text(row.op)),
          text_field("metric", row.metric),
          text_field("title", row.title),
          text_field("unit", row.unit),
          text_field("side", side),
          number_field("value", value),
          number_field("ratio", shown.ratio),
          number_field("ratio_low", shown.low),
          number_field("ratio_high", shown.high),
          text_field("change", ratio == nullptr ? "" : to_text(ratio->change))};
}

std::vector<Field> line_of(const StageTable& stages, const StageTable::Row& row) {
  std::vector<Field> line{text_field(stages.label_title, row.label)};
  for (std::size_t i = 0; i < stages.titles.size(); ++i) {
    line.push_back(text_field(display(stages.titles[i]), i < row.cells.size() ? row.cells[i] : ""));
  }
  return line;
}

}  // namespace

std::string ratio_text(const Ratio& ratio) {
  if (!ratio.ratio || !std::isfinite(*ratio.ratio)) return {};
  const int decimals = decimals_of(ratio);
  const std::string text = value_text(ratio.ratio, decimals);
  if (!ratio.low || !ratio.high) return text + ", no interval";
  return fmt::format("{} ({}-{}) {}", text, value_text(ratio.low, decimals),
                     value_text(ratio.high, decimals), to_text(ratio.change));
}

std::vector<ComparisonPart> comparison_parts(const Comparison& comparison) {
  std::vector<ComparisonPart> parts{differences_part(comparison)};
  if (comparison.stages) {
    parts.push_back(stages_part(*comparison.stages));
  } else if (!comparison.rows.empty() && !comparison.sides.empty()) {
    parts.push_back(rows_part(comparison));
  }
  if (!comparison.not_compared.empty()) parts.push_back(not_compared_part(comparison));
  if (!comparison.limits.empty()) parts.push_back(limits_part(comparison));
  return parts;
}

ComparisonLines comparison_lines(const Comparison& comparison) {
  ComparisonLines all;
  if (comparison.stages) {
    const StageTable& stages = *comparison.stages;
    all.head = line_of(stages, {});
    for (const StageTable::Row& row : stages.rows) all.lines.push_back(line_of(stages, row));
    return all;
  }
  all.head = line_of(ComparedRow{}, "", std::nullopt, nullptr);
  for (const ComparedRow& row : comparison.rows) {
    for (std::size_t i = 0; i < row.values.size() && i < comparison.sides.size(); ++i) {
      const Ratio* ratio = i > 0 && i <= row.ratios.size() ? &row.ratios[i - 1] : nullptr;
      all.lines.push_back(line_of(row, comparison.sides[i].label, row.values[i], ratio));
    }
  }
  return all;
}

}  // namespace sthd::table
