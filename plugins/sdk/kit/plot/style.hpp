#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sthd::plot {

/// The charts' <style>, ended. The colours have a contrast of 4.5 or more to the background they
/// stand on (WCAG 2.1, 1.4.3), light or dark, and differ in lightness too.
std::string_view style_sheet();

/// `untrusted` through display(), cut to `columns` of a terminal with an ellipsis.
std::string elided(std::string_view untrusted, std::size_t columns);

/// Terminal columns of a text that has been elided().
std::size_t columns_of(std::string_view shown);

}  // namespace sthd::plot
