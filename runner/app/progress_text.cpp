#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runner/app/terminal.hpp"
#include "sthd/text.hpp"
#include "sthd/units.hpp"

namespace sthd::app {
namespace {

constexpr std::size_t kBarCells = 20;
constexpr std::uint64_t kMaxSeconds = kMaxDuration / kSecond;

/// A stretch of the line; of those with a rank the highest goes first when the line is too long.
struct Part {
  std::string text;
  int rank = 0;
};

bool usable(const std::optional<double>& value) {
  return value && std::isfinite(*value) && *value >= 0;
}

std::string bar(double fraction) {
  const auto full = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * kBarCells);
  return "[" + std::string(full, '#') + std::string(kBarCells - full, '-') + "]";
}

std::string whole_seconds(double seconds) {
  const double capped = std::min(seconds, static_cast<double>(kMaxSeconds));
  return human_duration(static_cast<std::uint64_t>(std::llround(capped)) * kSecond);
}

std::string latency(double us) { return fmt::format("p99 {:.{}f} us", us, us < 10 ? 1 : 0); }

std::vector<Part> parts_of(const ProgressView& view, bool with_bar) {
  std::vector<Part> parts;
  if (view.jobs > 0) parts.push_back({fmt::format("job {} of {}", view.job, view.jobs)});
  parts.push_back({display(view.label)});
  if (!view.phase.empty()) parts.push_back({display(view.phase), 6});
  if (usable(view.fraction)) {
    const double fraction = std::min(*view.fraction, 1.0);
    parts.push_back({with_bar ? bar(fraction) : fmt::format("{:.0f} %", fraction * 100), 5});
  }
  if (usable(view.megabytes_per_second)) {
    parts.push_back({fmt::format("{:.1f} MB/s", *view.megabytes_per_second), 2});
  }
  if (usable(view.iops)) parts.push_back({fmt::format("{:.0f} IOPS", *view.iops), 3});
  if (usable(view.p99_us)) parts.push_back({latency(*view.p99_us), 4});
  if (usable(view.eta_seconds)) parts.push_back({"ETA " + whole_seconds(*view.eta_seconds), 1});
  return parts;
}

std::string joined(const std::vector<Part>& parts, std::string_view between) {
  std::string line;
  for (const auto& part : parts) {
    if (!line.empty()) line += between;
    line += part.text;
  }
  return line;
}

/// The front of valid UTF-8 `text` in at most `width` columns, with "..." where something is
/// missing.
std::string cut(std::string text, std::size_t width) {
  if (display_width(text) <= width) return text;
  const std::string_view dots = std::string_view("...").substr(0, width);
  while (!text.empty() && display_width(text) + dots.size() > width) {
    while ((static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) text.pop_back();
    text.pop_back();
  }
  return text.append(dots);
}

}  // namespace

std::string progress_text(const ProgressView& view, std::size_t width) {
  constexpr std::string_view kBetween = "  ";
  auto parts = parts_of(view, true);
  auto line = joined(parts, kBetween);
  while (display_width(line) > width) {
    const auto least = std::ranges::max_element(parts, {}, &Part::rank);
    if (least->rank == 0) break;
    parts.erase(least);
    line = joined(parts, kBetween);
  }
  return cut(std::move(line), width);
}

std::string progress_line(const ProgressView& view) { return joined(parts_of(view, false), ", "); }

}  // namespace sthd::app
