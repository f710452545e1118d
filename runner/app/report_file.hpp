#pragma once

#include <string>
#include <string_view>

#include "sthd/outcome.hpp"

namespace sthd::app {

/// A pipe or a device: written once, at the end, and never replaced.
bool is_special(const std::string& file);

/// Whether `file` can be written later; leaves nothing behind. Error{failed}.
Outcome<Done> check_file(const std::string& file);

/// Writes `text` beside `file` and renames it to `file`: whoever reads it sees all of the old text
/// or all of the new one. Error{failed}: "cannot write FILE: …".
Outcome<Done> replace_file(const std::string& file, std::string_view text);

}  // namespace sthd::app
