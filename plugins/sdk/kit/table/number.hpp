#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kit/table/table.hpp"
#include "sthd/metrics.hpp"

namespace sthd::table {

/// The cell of a metric in its column's unit and precision; empty when unknown or not finite.
Cell number_cell(const Column& column, const std::optional<MetricValue>& value);

/// How many of a metric's base units (1/s, bytes/s, bytes, seconds, ns) make one `unit`; 1 when
/// `unit` is none of that metric.
double unit_size(std::string_view metric, std::string_view unit);

/// The cell's mark and text in at most `room` terminal columns: "[1] 7206.86". A number that is too
/// long loses decimals first, then its spread, then becomes "1.845e+19"; words are never cut.
std::string fit(const Cell& cell, std::size_t room);

}  // namespace sthd::table
