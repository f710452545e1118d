#include "runner/profile/label.hpp"

#include "runner/profile/schema.hpp"

namespace sthd::profile {
namespace {

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

}  // namespace

std::vector<LabelPart> label_parts(std::string_view label) {
  std::vector<LabelPart> parts;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) parts.push_back({literal, false, 0});
    literal.clear();
  };
  for (std::size_t at = 0; at < label.size();) {
    const char c = label[at];
    const bool brace = c == '{' || c == '}';
    if (brace && label.substr(at, 2) == std::string(2, c)) {
      literal += c;
      at += 2;
    } else if (brace) {
      flush();
      const std::size_t end = c == '{' ? label.find('}', at) : std::string_view::npos;
      const bool closed = end != std::string_view::npos;
      parts.push_back(
          {std::string(closed ? label.substr(at + 1, end - at - 1) : label.substr(at, 1)), true,
           code_points(label.substr(0, at))});
      at = closed ? end + 1 : at + 1;
    } else {
      literal += c;
      ++at;
    }
  }
  flush();
  return parts;
}

std::vector<std::string> placeholder_names() {
  std::vector<std::string> names = workload_keys();
  names.emplace_back(kShortPattern);
  return names;
}

std::optional<std::string> placeholder_key(std::string_view name) {
  if (name == kShortPattern) return "pattern";
  if (is_workload_key(name)) return std::string(name);
  return std::nullopt;
}

std::string placeholder_text(std::string_view name, const Setting& setting) {
  if (name != kShortPattern) return label_text(name, setting);
  return std::get<std::string>(setting) == to_text(Pattern::sequential) ? "SEQ" : "RND";
}

}  // namespace sthd::profile
