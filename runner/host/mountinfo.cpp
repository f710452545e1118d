#include "runner/host/mountinfo.hpp"

#include <algorithm>
#include <charconv>

namespace sthd::host {
namespace {

/// Takes the text before the next `separator` off `rest`; all of it when there is none.
std::string_view take(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const auto field = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return field;
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// The kernel writes space, tab, newline, backslash and '#' as `\ooo`.
std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 3 < text.size() && text[i + 1] <= '3' &&
                        is_octal(text[i + 1]) && is_octal(text[i + 2]) && is_octal(text[i + 3]);
    if (!escape) {
      out += text[i];
      continue;
    }
    out +=
        static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return out;
}

bool parse_number(std::string_view text, std::uint64_t& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size();
}

std::optional<Mount> parse_line(std::string_view line) {
  // Any number of optional fields stands before the separator.
  constexpr std::string_view kSeparator = " - ";
  const auto separator = line.find(kSeparator);
  if (separator == std::string_view::npos) return std::nullopt;
  std::string_view head = line.substr(0, separator);
  std::string_view tail = line.substr(separator + kSeparator.size());

  Mount mount;
  std::uint64_t parent = 0;
  if (!parse_number(take(head, ' '), mount.id) || !parse_number(take(head, ' '), parent)) {
    return std::nullopt;
  }
  mount.device = take(head, ' ');
  mount.root = unescape(take(head, ' '));
  mount.mount_point = unescape(take(head, ' '));
  mount.options = unescape(take(head, ' '));
  mount.filesystem = unescape(take(tail, ' '));
  mount.source = unescape(take(tail, ' '));
  mount.super_options = unescape(tail);
  const bool complete = mount.device.find(':') != std::string::npos && !mount.mount_point.empty() &&
                        !mount.options.empty() && !mount.filesystem.empty();
  return complete ? std::optional(mount) : std::nullopt;
}

}  // namespace

std::string Mount::all_options() const {
  std::string all = options;
  std::string_view rest = super_options;
  while (!rest.empty()) {
    const auto option = take(rest, ',');
    if (option.empty() || has_option(all, option)) continue;
    if (!all.empty()) all += ',';
    all += option;
  }
  return all;
}

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> mounts;
  while (!text.empty()) {
    if (auto mount = parse_line(take(text, '\n'))) mounts.push_back(std::move(*mount));
  }
  return mounts;
}

std::optional<Mount> find_mount(std::string_view mountinfo, std::uint64_t id) {
  auto mounts = parse_mountinfo(mountinfo);
  const auto found = std::ranges::find(mounts, id, &Mount::id);
  if (found == mounts.end()) return std::nullopt;
  return std::move(*found);
}

const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path) {
  const Mount* best = nullptr;
  if (!path.starts_with('/')) return best;
  for (const Mount& mount : mounts) {
    const std::string& point = mount.mount_point;
    const bool below = path.starts_with(point) && path.substr(point.size()).starts_with('/');
    const bool leads = point == "/" || path == point || below;
    if (leads && (best == nullptr || point.size() >= best->mount_point.size())) best = &mount;
  }
  return best;
}

bool has_option(std::string_view options, std::string_view option) {
  while (!options.empty()) {
    if (take(options, ',') == option) return true;
  }
  return false;
}

}  // namespace sthd::host
