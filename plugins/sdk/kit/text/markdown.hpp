#pragma once

#include <string>
#include <string_view>

namespace sthd::text {

/// Text that has passed through display() as it may stand in Markdown: nothing in it ends a table's
/// cell, opens a tag, a link or a code span. Inside a word Markdown takes an underscore as it is:
/// O_DIRECT.
std::string markdown_escaped(std::string_view shown);

}  // namespace sthd::text
