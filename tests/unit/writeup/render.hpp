#pragma once

#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/plugins.hpp"

namespace sthd::test {

inline std::string rendered(const std::string& formatter, const FormatInput& input) {
  const host::FormatterEntry* entry = plugins().formatter(formatter);
  REQUIRE(entry != nullptr);
  const auto text = entry->formatter->render(input);
  REQUIRE(text.ok());
  return *text;
}

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace sthd::test
