#include "runner/app/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace sthd::app {

using analyze::known;
using analyze::Need;
using analyze::words;

namespace {

/// What is missing, and the checks that lack it first of all.
using Missing = std::map<Need, std::vector<std::string_view>>;

Missing missing_in(const Report& report) {
  Missing missing;
  for (const Check& check : all_checks()) {
    const auto lacks = std::find_if(check.needs.begin(), check.needs.end(),
                                    [&](Need need) { return !known(need, report); });
    if (lacks != check.needs.end()) missing[*lacks].push_back(check.code);
  }
  return missing;
}

constexpr std::string_view kTitle = "unknown   ";
constexpr std::string_view kIndent = "          ";

/// "unknown   what the disks moved, the size of RAM, …", wrapped.
std::vector<std::string> wrapped(const Missing& missing) {
  constexpr std::size_t kWidth = 100;
  std::vector<std::string> lines;
  for (const auto& [need, codes] : missing) {
    const bool last = need == missing.rbegin()->first;
    const std::string piece = fmt::format("{}{}", words(need), last ? "" : ",");
    const bool fits = !lines.empty() && lines.back().size() + 1 + piece.size() <= kWidth;
    if (fits) {
      lines.back() += " " + piece;
    } else {
      lines.push_back(fmt::format("{}{}", lines.empty() ? kTitle : kIndent, piece));
    }
  }
  return lines;
}

}  // namespace

std::vector<std::string> known_lines(const Report& report, bool each) {
  const Missing missing = missing_in(report);
  std::size_t impossible = 0;
  for (const auto& [need, codes] : missing) impossible += codes.size();
  const std::size_t all = all_checks().size();
  std::vector<std::string> lines{
      fmt::format("checks    {} of {} can be made", all - impossible, all)};
  if (!each) {
    for (std::string& line : wrapped(missing)) lines.push_back(std::move(line));
    return lines;
  }
  for (const auto& [need, codes] : missing) {
    lines.push_back(fmt::format("{}{} ({})", lines.size() == 1 ? kTitle : kIndent, words(need),
                                fmt::join(codes, ", ")));
  }
  return lines;
}

}  // namespace sthd::app
