#pragma once

#include <string>
#include <string_view>

namespace sthd::text {

/// Untrusted text as it may stand in XML 1.0 and in HTML, between tags or in a quoted attribute:
/// what display() makes of it, with & < > " ' as references. The two noncharacters that XML forbids
/// and display() lets through (U+FFFE, U+FFFF) become U+FFFD.
std::string xml_escaped(std::string_view untrusted);

}  // namespace sthd::text
