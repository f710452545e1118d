#pragma once

#include <span>
#include <string_view>

namespace sthd::html {

// What each page carries along. Nothing in it depends on a report.

std::string_view style();
/// In this order: Chart.js with its licence notice, the kinds of charts, the page.
std::span<const std::string_view> scripts();
/// The Content-Security-Policy: these by their hashes, and nothing else.
std::string_view policy();

}  // namespace sthd::html
