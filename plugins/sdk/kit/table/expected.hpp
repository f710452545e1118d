#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sthd/report.hpp"

namespace sthd::table {

/// A column for a metric of which a profile has none: the unit and precision in which it is read.
Column metric_column(std::string_view metric);

/// A metric's value in the unit in which it is read: "185.3 us", "43.77 MB/s", "10687"; empty for
/// unknown. `value` is in the metric's base unit.
std::string metric_text(std::string_view metric, std::optional<double> value);

/// "15000 to 25000", "at most 65.0 us", "at least 100.00 MB/s (spec 550.00 MB/s)".
std::string range_text(const ExpectedRange& range);

/// The expectation that was judged; nullptr when the report has none of that id.
const Expectation* expectation_of(const Report& report, const Judgement& judgement);

}  // namespace sthd::table
