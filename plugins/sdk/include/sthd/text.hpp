#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sthd {

/// The one function for text that is not ours (paths, titles, model names, a child's words) before
/// it reaches a terminal or a table: C0, DEL, C1, bidirectional controls and invalid UTF-8 become a
/// visible escape
/// (`\x1b`, `\u202e`), tab and newline `\t` and `\n`. Valid printable UTF-8 passes unchanged.
std::string display(std::string_view untrusted);

/// Terminal columns of `text` (valid UTF-8, already passed through display()): wide East Asian 2,
/// combining 0.
std::size_t display_width(std::string_view text);

}  // namespace sthd
