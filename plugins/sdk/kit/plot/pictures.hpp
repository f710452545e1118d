#pragma once

#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::plot {

// Names of the pictures: stable, good for a file.
inline constexpr const char* kLatency = "latency";
inline constexpr const char* kThroughput = "throughput";
inline constexpr const char* kP99 = "p99";

/// One picture of a report.
struct Picture {
  std::string name;
  std::string title;  ///< "Latency by percentile"
  std::string svg;    ///< the file's text
};

/// Latency by percentile, throughput and p99 over time, of all rows that have the figures: those
/// pictures that have something to show. Up to six lines share a frame; more have a small frame for
/// each label, of at most 60.
std::vector<Picture> pictures(const Report& report);

}  // namespace sthd::plot
