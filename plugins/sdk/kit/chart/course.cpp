#include "kit/chart/course.hpp"

#include <fmt/format.h>

#include "kit/chart/latency.hpp"
#include "kit/chart/slice.hpp"
#include "sthd/metrics.hpp"
#include "sthd/text.hpp"

namespace sthd::chart {
namespace {

std::optional<double> in_us(std::optional<double> ns) {
  return ns ? std::optional(*ns / 1e3) : std::nullopt;
}

std::optional<double> in_us(std::optional<std::uint64_t> ns) {
  return ns ? std::optional(static_cast<double>(*ns) / 1e3) : std::nullopt;
}

CoursePoint point_of(const Sample& sample, std::uint64_t begin_ns) {
  CoursePoint point;
  point.end_s = static_cast<double>(sample.at_ns) / 1e9;
  if (sample.at_ns > begin_ns) {
    const double seconds = static_cast<double>(sample.at_ns - begin_ns) / 1e9;
    point.iops = static_cast<double>(sample.ios) / seconds;
    point.mb_per_s = static_cast<double>(sample.bytes) / seconds / kMB;
  }
  point.p50_us = in_us(quantile_ns(sample, 0.5));
  point.p99_us = in_us(quantile_ns(sample, 0.99));
  point.max_us = in_us(sample.max_ns);
  return point;
}

/// Of disk `disk`, or of all leaf disks.
DiskFigures figures_of(const ResultRecord& record, Op op, std::optional<std::size_t> disk) {
  const auto window_ns = counter_total(record, "window_ns");
  const auto per_second = [&](std::string_view counter) -> std::optional<double> {
    const auto total = disk_total(record, counter, disk);
    if (!total || !window_ns || *window_ns <= 0) return std::nullopt;
    return *total * 1e9 / *window_ns;
  };
  DiskFigures figures;
  const auto bytes = per_second(fmt::format("{}_bytes", to_text(op)));
  if (bytes) figures.mb_per_s = *bytes / kMB;
  figures.iops = per_second(fmt::format("{}_ios", to_text(op)));
  figures.mean_us = in_us(device_mean_ns(record, op, disk));
  figures.flushes_per_s = per_second("flush_ios");
  figures.flush_mean_us = in_us(device_flush_mean_ns(record, disk));
  return figures;
}

std::string disk_name(const ResultRecord& record, std::size_t disk) {
  const auto name = fact_text(record.loops.front().counters, fmt::format("disk.{}.name", disk));
  return name ? display(*name) : fmt::format("disk {}", disk);
}

}  // namespace

std::optional<Course> course_of(const ResultRecord& record, Op op, std::size_t most) {
  if (record.status == Status::failed) return std::nullopt;
  auto result = merged(record, op);
  if (!result || result->samples.empty()) return std::nullopt;
  coarsen(result->samples, most);
  Course course{.name = row_name(record.job, op)};
  std::uint64_t begin_ns = 0;
  for (const Sample& sample : result->samples) {
    course.points.push_back(point_of(sample, begin_ns));
    begin_ns = sample.at_ns;
  }
  const std::size_t disks = disk_count(record);
  for (std::size_t i = 0; i < disks; ++i) {
    course.disks.push_back(figures_of(record, op, i));
    course.disks.back().name = disk_name(record, i);
  }
  if (disks > 0) {
    course.all_disks = figures_of(record, op, std::nullopt);
    course.all_disks->name = disks == 1 ? course.disks.front().name : "all disks";
  }
  return course;
}

std::vector<Direction> measured_directions(const Report& report) {
  std::vector<Direction> all;
  for (const ResultRecord& record : report.records) {
    for (const Op op : {Op::read, Op::write}) {
      const Op asked = record.job.workload.op;
      if (asked != op && asked != Op::mixed) continue;
      if (metric(record, op, "bytes")) all.push_back({&record, op});
    }
  }
  return all;
}

}  // namespace sthd::chart
