#include "runner/host/facts_source.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "runner/host/kernel_calls.hpp"

namespace sthd::host::facts {
namespace {

namespace fs = std::filesystem;

/// "state2" before "state10": the shorter first where all but the digits at the end is the same.
bool before(const std::string& a, const std::string& b) {
  constexpr std::string_view kDigits = "0123456789";
  const auto stem_a = a.find_last_not_of(kDigits) + 1;
  const auto stem_b = b.find_last_not_of(kDigits) + 1;
  if (a.compare(0, stem_a, b, 0, stem_b) == 0 && a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

}  // namespace

Sysroot::Sysroot(const fs::path& root) : root_(root.string()) {
  while (root_.ends_with('/')) root_.pop_back();
}

std::string Sysroot::text(const std::string& path) const { return read_small_file(root_ + path); }

std::string Sysroot::line(const std::string& path) const {
  return std::string(trimmed(text(path)));
}

std::optional<double> Sysroot::number(const std::string& path) const {
  const std::string read = line(path);
  double value = 0;
  const auto [end, fault] = std::from_chars(read.data(), read.data() + read.size(), value);
  if (fault != std::errc{} || end != read.data() + read.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

bool Sysroot::exists(const std::string& path) const {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(root_ + path, ignored));
}

std::vector<std::string> Sysroot::names(const std::string& folder) const {
  std::vector<std::string> found;
  std::error_code fault;
  fs::directory_iterator entry(root_ + folder, fault);
  for (; !fault && entry != fs::directory_iterator(); entry.increment(fault)) {
    found.push_back(entry->path().filename().string());
  }
  std::sort(found.begin(), found.end(), before);
  return found;
}

fs::path Sysroot::link(const std::string& path) const {
  std::error_code ignored;
  return fs::read_symlink(root_ + path, ignored);
}

void FactList::text(std::string name, std::string value, std::string_view unknown_because) {
  if (!value.empty()) {
    facts_.push_back({std::move(name), std::move(value), {}});
  } else if (!unknown_because.empty()) {
    facts_.push_back({std::move(name), {}, std::string(unknown_because)});
  }
}

void FactList::number(std::string name, std::optional<double> value,
                      std::string_view unknown_because) {
  if (value) {
    facts_.push_back({std::move(name), *value, {}});
  } else if (!unknown_because.empty()) {
    facts_.push_back({std::move(name), {}, std::string(unknown_because)});
  }
}

std::optional<double> leading_number(std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string option_value(std::string_view options, std::string_view key) {
  while (!options.empty()) {
    const auto end = std::min(options.find(','), options.size());
    const std::string_view one = options.substr(0, end);
    if (one.size() > key.size() && one.starts_with(key) && one[key.size()] == '=') {
      return std::string(one.substr(key.size() + 1));
    }
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace(" \t\r\n\0", 5);  // device-tree texts end with a NUL
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace sthd::host::facts
