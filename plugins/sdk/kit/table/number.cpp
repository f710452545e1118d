#include "kit/table/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sthd/text.hpp"
#include "sthd/units.hpp"

namespace sthd::table {
namespace {

using UnitSize = std::pair<std::string_view, double>;

constexpr std::array<UnitSize, 9> kByteUnits{{{"B", 1},
                                              {"kB", 1e3},
                                              {"MB", 1e6},
                                              {"GB", 1e9},
                                              {"TB", 1e12},
                                              {"KiB", kKiB},
                                              {"MiB", kMiB},
                                              {"GiB", kGiB},
                                              {"TiB", 1024.0 * kGiB}}};
constexpr std::array<UnitSize, 4> kTimeUnits{{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

template <std::size_t N>
double size_in(const std::array<UnitSize, N>& units, std::string_view unit, double otherwise) {
  for (const auto& [name, size] : units) {
    if (name == unit) return size;
  }
  return otherwise;
}

std::string number_text(double value, int precision, bool rough) {
  return fmt::format("{}{:.{}f}", rough ? "~" : "", value, precision);
}

/// The forms of a number from the fullest to the shortest.
std::vector<std::string> shorter_forms(const Cell& cell) {
  std::vector<std::string> forms{cell.text};
  if (!cell.value) return forms;
  if (!cell.spread.empty()) {
    for (int precision = cell.precision - 1; precision >= 0; --precision) {
      forms.push_back(number_text(*cell.value, precision, cell.rough) + ' ' + cell.spread);
    }
    forms.push_back(number_text(*cell.value, cell.precision, cell.rough));
  }
  for (int precision = cell.precision - 1; precision >= 0; --precision) {
    forms.push_back(number_text(*cell.value, precision, cell.rough));
  }
  for (int precision = 3; precision >= 0; --precision) {
    forms.push_back(fmt::format("{}{:.{}e}", cell.rough ? "~" : "", *cell.value, precision));
  }
  return forms;
}

}  // namespace

double unit_size(std::string_view metric, std::string_view unit) {
  if (metric == "iops" || metric == "depth" || metric == "submit_share") return 1;
  if (metric == "bytes") return size_in(kByteUnits, unit, 1);
  if (metric == "bw") {
    const bool rate = unit.size() > 2 && unit.substr(unit.size() - 2) == "/s";
    return rate ? size_in(kByteUnits, unit.substr(0, unit.size() - 2), 1) : 1;
  }
  if (metric == "seconds") return size_in(kTimeUnits, unit, 1e9) / 1e9;
  return size_in(kTimeUnits, unit, 1);
}

Cell number_cell(const Column& column, const std::optional<MetricValue>& value) {
  if (!value || !std::isfinite(value->value)) return {};
  Cell cell;
  cell.value = value->value / unit_size(column.metric, column.unit);
  cell.precision = std::clamp(column.precision, 0, 9);
  cell.rough = value->rough;
  cell.text = number_text(*cell.value, cell.precision, cell.rough);
  return cell;
}

std::string fit(const Cell& cell, std::size_t room) {
  const std::string mark = mark_text(cell.mark);
  const std::string_view space = mark.empty() || cell.text.empty() ? "" : " ";
  for (const std::string& form : shorter_forms(cell)) {
    const std::size_t width = mark.size() + display_width(form);
    if (width + space.size() <= room) return fmt::format("{}{}{}", mark, space, form);
    if (width <= room) return mark + form;
  }
  return fmt::format("{}{}{}", mark, space, cell.text);
}

}  // namespace sthd::table
