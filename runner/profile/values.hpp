#pragma once

#include "runner/profile/diagnostics.hpp"
#include "runner/profile/tree.hpp"
#include "sthd/report.hpp"

namespace sthd::profile {

/// What the schema cannot judge in one file: overflow, multiples, placeholders of labels, metrics.
/// Values that `known` already complains about are left alone.
Diagnostics value_faults(const Value& file, const Diagnostics& known);

/// The columns of a merged and complete profile; units and precision get their defaults.
std::vector<Column> columns_of(const Value& profile, Diagnostics& faults);

}  // namespace sthd::profile
