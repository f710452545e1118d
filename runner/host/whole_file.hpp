#pragma once

#include <string>
#include <string_view>

#include "sthd/outcome.hpp"

namespace sthd::host {

/// Everything from `fd` to its end, as far as a record may go (256 MiB) and one byte more. The
/// Error's message begins with ": ".
Outcome<std::string> read_all(int fd);

/// All of `text`; false with errno when a part could not be written.
bool write_all(int fd, std::string_view text);

}  // namespace sthd::host
