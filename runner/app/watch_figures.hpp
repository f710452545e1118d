#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/facts.hpp"

// Private to runner/app/watch*: the counters of a window as rates.
namespace sthd::app {

/// One kind of I/O at a disk. What was not counted is empty; without I/O there is no mean.
struct Stream {
  std::optional<double> per_second;
  std::optional<double> megabytes_per_second;  ///< none of flushes
  std::optional<double> mean_us;
  std::optional<double> share;  ///< time spent in them ÷ window; more than 1 where they overlap
};

struct DiskFigures {
  std::string name;         ///< "sda", display()ed
  std::string role;         ///< "data", "log", …; may be empty
  std::string write_cache;  ///< "write back", "write through"; may be empty
  Stream read;
  Stream write;
  Stream flush;
  std::optional<double> busy_percent;
  std::optional<double> in_flight_mean;
  std::optional<double> longest_stall_ns;

  /// Where what is asked to be durable goes first.
  [[nodiscard]] bool is_log() const { return role == "log"; }
};

struct WatchFigures {
  double seconds = 0;
  std::vector<DiskFigures> disks;

  [[nodiscard]] bool has_log() const;
};

/// `facts` are those of host and target, `window` the counters of a window over the same disks.
WatchFigures watch_figures(const Facts& facts, const Facts& window);

/// A counter of the window per second; empty when it is not known.
std::optional<double> rate_of(const Facts& window, std::string_view name);

/// The disks' streams together: rates added, means weighted by them. A disk that was not counted
/// leaves the sum empty.
Stream sum_of(const WatchFigures& figures, Stream DiskFigures::*kind);

/// Share of the CPUs' time that was `name` ("host.cpu_idle_ns"), percent.
std::optional<double> cpu_share_percent(const Facts& window, std::string_view name);

}  // namespace sthd::app
