#include "runner/host/plugin_marker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "runner/host/plugin_elf.hpp"

namespace sthd::host {
namespace {

constexpr std::string_view kPrefix = "sthd";
constexpr const char* kRebuild = "build it again with this version's SDK";

Error refused(std::string clause) { return Error{ErrorCode::refused, std::move(clause), 0}; }

Error malformed(std::string_view section) {
  return refused(
      fmt::format("its marker is \"{}\", and the form is "
                  "sthd<major>.<kind>.<name>.<minor>.<family>: build it with "
                  "sthd_add_plugin",
                  section));
}

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

bool good_name(std::string_view name) {
  constexpr std::size_t kMaxName = 32;
  return !name.empty() && name.size() <= kMaxName && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

/// Takes the text before the next '.' off `rest`; false when there is none.
bool take_field(std::string_view& rest, std::string_view& field) {
  const auto dot = rest.find('.');
  if (dot == std::string_view::npos) return false;
  field = rest.substr(0, dot);
  rest.remove_prefix(dot + 1);
  return true;
}

/// "sthd<digits>." begins a marker; "sthd1" alone is the section of the alias.
bool is_marker(std::string_view section) {
  if (!section.starts_with(kPrefix)) return false;
  section.remove_prefix(kPrefix.size());
  const auto digits = std::min(section.find_first_not_of("0123456789"), section.size());
  return digits > 0 && digits < section.size() && section[digits] == '.';
}

struct Tail {
  std::string_view name;
  std::uint32_t minor = 0;
  std::string_view family;
};

/// Splits "<name>.<minor>.<family>". The name may hold anything, dots too, until it was judged: it
/// ends before the first field of digits.
std::optional<Tail> split_tail(std::string_view text) {
  for (auto dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
    std::string_view rest = text.substr(dot + 1);
    std::string_view field;
    if (!take_field(rest, field)) break;
    if (const auto minor = number(field)) return Tail{text.substr(0, dot), *minor, rest};
  }
  return std::nullopt;
}

}  // namespace

std::string_view kind_text(PluginKind kind) {
  return kind == PluginKind::backend ? "backend" : "formatter";
}

Outcome<PluginMarker> parse_marker(std::string_view section) {
  std::string_view rest = section.substr(std::min(kPrefix.size(), section.size()));
  std::string_view major;
  std::string_view kind;
  if (!is_marker(section) || !take_field(rest, major) || !number(major)) return malformed(section);
  if (number(major) != kAbiMajor) {
    return refused(fmt::format("it was built for plugin interface {}, and this program has {}: {}",
                               major, kAbiMajor, kRebuild));
  }
  if (!take_field(rest, kind)) return malformed(section);
  if (kind != kind_text(PluginKind::backend) && kind != kind_text(PluginKind::formatter)) {
    return refused(fmt::format("it is a \"{}\", and this program loads backends and formatters: {}",
                               kind, kRebuild));
  }
  const auto tail = split_tail(rest);
  if (!tail) return malformed(section);
  if (!good_name(tail->name)) {
    return refused(
        fmt::format("it calls itself \"{}\", and a name is 1 to 32 characters of a-z, "
                    "0-9 and \"-\": rename its folder and build it again",
                    tail->name));
  }
  if (tail->minor != kAbiMinor) {
    return refused(
        fmt::format("it was built for plugin interface {}.{}, and this program has "
                    "{}.{}: {}",
                    major, tail->minor, kAbiMajor, kAbiMinor, kRebuild));
  }
  if (tail->family != STHD_ABI_FAMILY) {
    return refused(
        fmt::format("it was built as \"{}\", and this program as \"{}\": build both "
                    "with the same standard library and sanitizers",
                    tail->family, STHD_ABI_FAMILY));
  }
  return PluginMarker{
      .kind = kind == kind_text(PluginKind::backend) ? PluginKind::backend : PluginKind::formatter,
      .name = std::string(tail->name)};
}

Outcome<PluginMarker> judge_marker(const PluginFile& file) {
  auto sections = section_names(file);
  if (!sections) return sections.error();
  std::erase_if(*sections, [](const std::string& section) { return !is_marker(section); });
  if (sections->empty()) {
    return refused(
        "it has no marker section \"sthd1.…\", and a plugin must have one: build it with "
        "sthd_add_plugin");
  }
  if (sections->size() > 1) {
    return refused(
        fmt::format("it has {} marker sections, and a plugin has one: build each plugin "
                    "into its own file",
                    sections->size()));
  }
  return parse_marker(sections->front());
}

}  // namespace sthd::host
