#include "kit/text/xml.hpp"

#include "sthd/text.hpp"

namespace sthd::text {
namespace {

constexpr std::string_view kNoncharacter = "\xef\xbf";  // and then \xbe or \xbf
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool is_noncharacter(std::string_view rest) {
  return rest.size() >= 3 && rest.substr(0, 2) == kNoncharacter &&
         (rest[2] == '\xbe' || rest[2] == '\xbf');
}

std::string_view reference(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string xml_escaped(std::string_view untrusted) {
  const std::string shown = display(untrusted);
  std::string out;
  out.reserve(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string_view name = reference(shown[i]);
    if (!name.empty()) {
      out += name;
    } else if (is_noncharacter(std::string_view(shown).substr(i))) {
      out += kReplacement;
      i += 2;
    } else {
      out += shown[i];
    }
  }
  return out;
}

}  // namespace sthd::text
