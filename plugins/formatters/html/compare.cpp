#include <fmt/format.h>

#include "kit/table/comparison_table.hpp"
#include "markup.hpp"
#include "sections.hpp"

namespace sthd::html {
namespace {

constexpr int kRatio = 4;  // decimals of what is drawn

std::string part_of(const table::ComparisonPart& part) {
  std::string body;
  if (!part.titles.empty()) {
    TableText table(part.title, part.titles, part.numbers ? Align::numbers : Align::texts);
    for (const std::vector<std::string>& row : part.rows) {
      table.row(row.front(), {row.begin() + 1, row.end()});
    }
    body = table.text();
  }
  for (const std::string& note : part.notes) body += fmt::format("<p>{}</p>\n", xml_escaped(note));
  return section(part.title, body);
}

std::string row_of(const ComparedRow& row) {
  return fmt::format("{} {}: {}", row.label, to_text(row.op), row.title);
}

/// A row a ratio that is known: what the forest plot is drawn from.
std::string ratios_of(const Comparison& comparison) {
  if (comparison.sides.empty() || comparison.stages) return {};
  TableText table("Ratios to " + comparison.sides.front().label,
                  {"Row", "Side", "ratio", "low", "high", "difference"}, Align::numbers);
  bool any = false;
  for (const ComparedRow& row : comparison.rows) {
    for (std::size_t i = 0; i < row.ratios.size() && i + 1 < comparison.sides.size(); ++i) {
      const Ratio& ratio = row.ratios[i];
      if (!ratio.ratio) continue;
      any = true;
      table.row(row_of(row), {comparison.sides[i + 1].label, number_text(ratio.ratio, kRatio),
                              number_text(ratio.low, kRatio), number_text(ratio.high, kRatio),
                              std::string(to_text(ratio.change))});
    }
  }
  return any ? section("Ratios", plot("ratios", "Ratios with their 95 % intervals", table.text()))
             : "";
}

std::string sides_of(const Comparison& comparison) {
  TableText table("The records", {"Side", "Started (UTC)", "Run"}, Align::texts);
  for (const Side& side : comparison.sides) table.row(side.label, {side.started_utc, side.run_id});
  return section("What was compared", table.text());
}

}  // namespace

std::string comparison_sections(const FormatInput& input) {
  const Comparison& comparison = *input.comparison;
  std::string out;
  for (const auto& part : table::comparison_parts(comparison)) out += part_of(part);
  return out + ratios_of(comparison) + overlay_sections(input) + sides_of(comparison);
}

}  // namespace sthd::html
