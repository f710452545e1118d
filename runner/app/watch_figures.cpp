#include "runner/app/watch_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sthd/text.hpp"
#include "sthd/units.hpp"

namespace sthd::app {
namespace {

using Number = std::optional<double>;

/// "disk.2.flush_" with "ios", "ticks_ns" and, for reads and writes, "bytes".
Stream stream_of(const Facts& window, const std::string& key, double seconds) {
  Stream stream;
  const Number ios = fact_number(window, key + "ios");
  const Number ticks = fact_number(window, key + "ticks_ns");
  const Number bytes = fact_number(window, key + "bytes");
  if (seconds <= 0) return stream;
  if (ios) stream.per_second = *ios / seconds;
  if (bytes) stream.megabytes_per_second = *bytes / kMB / seconds;
  if (ticks) stream.share = *ticks / 1e9 / seconds;
  if (ios && ticks && *ios > 0) stream.mean_us = *ticks / *ios / 1e3;
  return stream;
}

Number sum(const Number& a, const Number& b) { return a && b ? Number(*a + *b) : std::nullopt; }

std::string text_of(const Facts& facts, const std::string& name) {
  return display(fact_text(facts, name).value_or(""));
}

}  // namespace

bool WatchFigures::has_log() const {
  return std::any_of(disks.begin(), disks.end(), [](const auto& disk) { return disk.is_log(); });
}

WatchFigures watch_figures(const Facts& facts, const Facts& window) {
  WatchFigures figures;
  figures.seconds = fact_number(window, "window_ns").value_or(0) / 1e9;
  for (std::size_t i = 0;; ++i) {
    const std::string key = fmt::format("disk.{}.", i);
    if (!fact_text(window, key + "name")) break;
    DiskFigures disk;
    disk.name = text_of(window, key + "name");
    disk.role = text_of(facts, key + "role");
    disk.write_cache = text_of(facts, key + "write_cache");
    disk.read = stream_of(window, key + "read_", figures.seconds);
    disk.write = stream_of(window, key + "write_", figures.seconds);
    disk.flush = stream_of(window, key + "flush_", figures.seconds);
    if (const auto busy = fact_number(window, key + "busy_ns"); busy && figures.seconds > 0) {
      disk.busy_percent = std::min(100.0, *busy / 1e7 / figures.seconds);
    }
    disk.in_flight_mean = fact_number(window, key + "in_flight_mean");
    disk.longest_stall_ns = fact_number(window, key + "longest_stall_ns");
    figures.disks.push_back(std::move(disk));
  }
  return figures;
}

std::optional<double> rate_of(const Facts& window, std::string_view name) {
  const Number count = fact_number(window, name);
  const double seconds = fact_number(window, "window_ns").value_or(0) / 1e9;
  return count && seconds > 0 ? Number(*count / seconds) : std::nullopt;
}

Stream sum_of(const WatchFigures& figures, Stream DiskFigures::*kind) {
  if (figures.disks.empty()) return {};
  Stream all{.per_second = 0, .megabytes_per_second = 0, .mean_us = {}, .share = 0};
  for (const DiskFigures& disk : figures.disks) {
    const Stream& one = disk.*kind;
    all.per_second = sum(all.per_second, one.per_second);
    all.megabytes_per_second = sum(all.megabytes_per_second, one.megabytes_per_second);
    all.share = sum(all.share, one.share);
  }
  if (all.per_second && all.share && *all.per_second > 0) {
    all.mean_us = *all.share * 1e6 / *all.per_second;
  }
  return all;
}

std::optional<double> cpu_share_percent(const Facts& window, std::string_view name) {
  Number whole = 0;
  for (const char* part :
       {"host.cpu_busy_ns", "host.cpu_idle_ns", "host.steal_ns", "host.iowait_ns"}) {
    whole = sum(whole, fact_number(window, part));
  }
  const Number one = fact_number(window, name);
  return one && whole && *whole > 0 ? Number(*one * 100 / *whole) : std::nullopt;
}

}  // namespace sthd::app
