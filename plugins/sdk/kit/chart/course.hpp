#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::chart {

/// One slice of the time series of a row.
struct CoursePoint {
  double end_s = 0;  ///< from the start of the first loop; loops follow each other without a gap
  std::optional<double> iops;
  std::optional<double> mb_per_s;  ///< 10^6 bytes/s
  std::optional<double> p50_us;    ///< of the slice, within 6.3 %, as all quantiles of a course
  std::optional<double> p99_us;
  std::optional<double> max_us;
};

/// What a leaf disk (or all together) did while the row was measured, by its own counters and
/// whoever used it. Unset = not counted.
struct DiskFigures {
  std::string name;                ///< "nvme0n1"; passed through display()
  std::optional<double> mb_per_s;  ///< in the row's direction, as the mean time
  std::optional<double> iops;
  std::optional<double> mean_us;
  std::optional<double> flushes_per_s;
  std::optional<double> flush_mean_us;
};

/// One direction of a row over time.
struct Course {
  std::string name;  ///< row_name()
  std::vector<CoursePoint> points;
  std::vector<DiskFigures> disks;        ///< each leaf disk
  std::optional<DiskFigures> all_disks;  ///< together; unset where no disk was counted
};

/// Of a row with figures, in at most `most` slices (neighbours are merged). Nothing where there is
/// no time series.
std::optional<Course> course_of(const ResultRecord& record, Op op, std::size_t most);

/// One direction of a row, in a report.
struct Direction {
  const ResultRecord* record = nullptr;
  Op op = Op::read;
};

/// All that have figures, in running order; both of a mixed row.
std::vector<Direction> measured_directions(const Report& report);

}  // namespace sthd::chart
