#pragma once

#include <string>
#include <vector>

#include "kit/table/fields.hpp"

namespace sthd::table {

/// The names of `fields` as a line of CSV, ended.
std::string csv_head(const std::vector<Field>& fields);

/// Their texts as a line of CSV, ended. Text that a spreadsheet would run as a formula gets a ' in
/// front, as do such names; numbers of ours may begin with a minus and stay numbers.
std::string csv_line(const std::vector<Field>& fields);

}  // namespace sthd::table
