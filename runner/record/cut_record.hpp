#pragma once

#include <string_view>

#include "runner/record/import.hpp"
#include "sthd/outcome.hpp"

// Private to runner/record.
namespace sthd::record {

/// Our own record, whole or cut. Error{refused} as from import_report().
Outcome<Imported> import_record(std::string_view text);

}  // namespace sthd::record
