#include "kit/table/grid.hpp"

#include <algorithm>

#include "sthd/text.hpp"

namespace sthd::table {
namespace {

std::string blanks(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(used < width ? width - used : 0, ' ');
}

}  // namespace

Grid grid_of(const Table& table) {
  Grid grid;
  grid.label = std::max(grid.label, display_width(table.label_title));
  constexpr std::size_t kSpread = 8;  // " ±12.3%", and one to stay even
  for (const Row& row : table.rows) grid.label = std::max(grid.label, display_width(row.label));
  for (const std::string& title : table.titles) {
    const std::size_t with_mark = display_width(title) + 1;
    grid.value = std::max(grid.value, with_mark + with_mark % 2);
  }
  if (table.repeats) grid.value += kSpread;
  grid.expected = std::max(grid.value, table.expected_width);
  return grid;
}

std::size_t width_of(const Grid& grid, const Table& table, std::size_t column) {
  const bool expected = table.expected_width > 0 && column + 1 == table.titles.size();
  return expected ? grid.expected : grid.value;
}

std::string left(std::string_view text, std::size_t width) {
  return std::string(text) + blanks(text, width);
}

std::string right(std::string_view text, std::size_t width) {
  return blanks(text, width) + std::string(text);
}

}  // namespace sthd::table
