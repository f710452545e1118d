#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::chart {

/// "4K sync T1 write": a row and its direction, passed through display().
std::string row_name(const Job& job, Op op);

/// A point of a latency curve.
struct QuantilePoint {
  std::optional<double> latency_ns;  ///< unset = fewer than one sample lies beyond it
  bool rough = false;                ///< fewer than ten samples lie beyond it
};

/// The latencies of one direction of a row by percentile: one point for each of grid_percents().
struct LatencyCurve {
  std::string name;         ///< row_name(), and "response" or "sync" of those histograms
  std::uint64_t count = 0;  ///< I/Os
  std::vector<QuantilePoint> points;
  double max_ns = 0;
};

/// Percentiles from 0 (the shortest latency) to 99.99999, eight a decade of 1 / (1 - q), so that
/// they lie evenly on the axis of an HdrHistogram plot.
const std::vector<double>& grid_percents();

/// Of a row with figures; none where its latencies are not known, or only in sum.
std::vector<LatencyCurve> latency_curves(const ResultRecord& record, Op op);

}  // namespace sthd::chart
