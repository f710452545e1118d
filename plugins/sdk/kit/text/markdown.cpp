#include "kit/text/markdown.hpp"

#include <cctype>

namespace sthd::text {
namespace {

bool in_word(std::string_view text, std::size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

bool is_markup(std::string_view text, std::size_t at) {
  if (text[at] == '_' && at > 0 && in_word(text, at - 1) && in_word(text, at + 1)) return false;
  return std::string_view(R"(\`*_[]|#)").find(text[at]) != std::string_view::npos;
}

}  // namespace

std::string markdown_escaped(std::string_view shown) {
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
      continue;
    }
    if (is_markup(shown, i)) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace sthd::text
