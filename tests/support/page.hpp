#pragma once

#include <string>
#include <string_view>

namespace sthd::test {

/// An HTML page without its scripts, its style and their hashes: what does not come from the
/// report, and the record, which the JSON formatter shows too. Any other text as it is.
inline std::string without_assets(std::string text) {
  if (!text.starts_with("<!DOCTYPE html>")) return text;
  const auto blank = [&text](std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      at += from.size();
      const std::size_t end = text.find(to, at);
      if (end == std::string::npos) return;
      text.replace(at, end - at, "...");
    }
  };
  blank("<style>", "</style>");
  blank("<script>", "</script>");
  blank("id=\"record\">", "</script>");
  blank("'sha256-", "'");
  return text;
}

}  // namespace sthd::test
