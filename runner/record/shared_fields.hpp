#pragma once

#include <string>

#include "sthd/facts.hpp"
#include "sthd/report.hpp"

// Private to runner/record.
namespace sthd::record {

/// Those fields of a report that may be shared, with their texts as they are. A field that is not
/// listed here is empty in what comes out.
Report shared_fields(const Report& report);

/// Those of the facts: figures, and texts of kinds of hardware and software.
Facts shared_facts(const Facts& facts);
/// Those of the mount options: flags, and values that say how rather than who or where.
std::string shared_options(const std::string& options);

}  // namespace sthd::record
