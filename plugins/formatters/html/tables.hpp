#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kit/chart/course.hpp"
#include "kit/chart/latency.hpp"

namespace sthd::html {

// The tables that charts are drawn from: page.js knows their columns.

/// A column a curve, a row a percentile; below them the longest latency and the number of I/Os.
/// `names` head the columns.
std::string latency_table(std::string_view caption, const std::vector<chart::LatencyCurve>& curves,
                          const std::vector<std::string>& names);

/// A row a slice.
std::string course_table(const chart::Course& course);

/// A row a disk, and all of them as the last one; empty where no disk was counted.
std::string disks_table(const chart::Course& course);

/// The courses of one row on several sides, a row a slice: side, time, MB/s, p99.
std::string sides_table(const std::vector<chart::Course>& courses,
                        const std::vector<std::string>& sides);

}  // namespace sthd::html
