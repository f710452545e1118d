#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "kit/table/table.hpp"

namespace sthd::table {

/// Widths of a text table in terminal columns, without the space on either side. They depend on
/// titles, labels and repeats alone, all known before the first figure is, so a table printed row
/// by row equals the one printed at the end; a number that is too long gives way (fit()).
///
/// Labels: the longest, at least 16. Values: one width for all columns, the longest title and one
/// more for the `~` of a rough quantile, rounded up to an even number, at least 12; 8 more where
/// rows are measured repeatedly, for their spread. These are the widths of the original script's
/// two tables: "Write (MB/s)" gives 14, "p99 lat(us)" 12. Where the last column says what was
/// expected, it has a width of its own.
struct Grid {
  std::size_t label = 16;
  std::size_t value = 12;
  std::size_t expected = 0;
};
Grid grid_of(const Table& table);

/// The width of one of the table's value columns.
std::size_t width_of(const Grid& grid, const Table& table, std::size_t column);

/// `text` filled up with blanks to `width` terminal columns.
std::string left(std::string_view text, std::size_t width);
std::string right(std::string_view text, std::size_t width);

}  // namespace sthd::table
