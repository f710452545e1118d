#pragma once

#include <string_view>

#include "runner/profile/tree.hpp"
#include "sthd/outcome.hpp"

namespace sthd::profile {

/// Of an integer or a fraction.
double number_of(const Value& value);

/// A figure of an [[expect]] in its metric's base unit (metrics.hpp). Error: one clause, such as
/// `3140 has no unit (write 3140MB/s)`.
Outcome<double> read_figure(std::string_view metric, const Value& value);

}  // namespace sthd::profile
