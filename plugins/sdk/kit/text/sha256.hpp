#pragma once

#include <string>
#include <string_view>

namespace sthd::text {

/// SHA-256 as lower-case hex.
std::string sha256(std::string_view bytes);

}  // namespace sthd::text
