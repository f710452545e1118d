#include "kit/table/part_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kit/table/grid.hpp"
#include "sthd/text.hpp"

namespace sthd::table {
namespace {

using Widths = std::vector<std::size_t>;

Widths widths_of(const ComparisonPart& part) {
  Widths widths;
  for (const std::string& title : part.titles) widths.push_back(display_width(title));
  for (const auto& row : part.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  return widths;
}

void add_line(const std::vector<std::string>& cells, const Widths& widths, std::string& out) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out += fmt::format("| {} ", i == 0 ? left(cells[i], widths[i]) : right(cells[i], widths[i]));
  }
  out += "|\n";
}

void add_figures(const ComparisonPart& part, std::string& out) {
  const Widths widths = widths_of(part);
  std::string rule;
  for (const std::size_t width : widths) rule += '+' + std::string(width + 2, '-');
  rule += "+\n";
  out += rule;
  add_line(part.titles, widths, out);
  out += rule;
  for (const auto& row : part.rows) add_line(row, widths, out);
  out += rule;
}

void add_texts(const ComparisonPart& part, std::string& out) {
  for (const auto& row : part.rows) {
    out += fmt::format("  {}:", row.front());
    for (std::size_t i = 1; i < row.size(); ++i) {
      const std::string head = row.size() > 2 ? part.titles[i] + " " : "";
      out += fmt::format("{} {}{}", i > 1 ? ";" : "", head, row[i]);
    }
    out += '\n';
  }
}

}  // namespace

std::string plain_text(const ComparisonPart& part) {
  std::string out = part.title + ":\n";
  part.numbers ? add_figures(part, out) : add_texts(part, out);
  for (const std::string& note : part.notes) out += note + '\n';
  return out;
}

}  // namespace sthd::table
