#pragma once

#include <cstddef>
#include <string_view>

#include "kit/table/table.hpp"

namespace sthd::table {

inline constexpr std::string_view kExpectedTitle = "Expected";

/// Room for the table's last column, what was expected of each row, in terminal columns; 0 where
/// there is none: no expectation is about a row, or its `only_if` does not hold. It depends on the
/// plan, the expectations and the facts alone, all known before the first figure is; a figure that
/// is far larger than what was expected gets less room than it needs.
std::size_t expected_width(const Report& report);

/// "ok", "unknown", "2518 (3140) MB/s", "10687 (15000-25000) IOPS +1": measured, expected or the
/// maker's figure, and how many more are not as expected. Empty for a row of which nothing is
/// expected, or that is not finished.
Cell expected_cell(const Report& report, std::string_view label);

}  // namespace sthd::table
