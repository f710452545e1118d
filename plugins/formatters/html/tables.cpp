#include "tables.hpp"

#include <fmt/format.h>

#include "markup.hpp"

namespace sthd::html {
namespace {

constexpr int kSeconds = 3;  // decimals
constexpr int kRate = 2;
constexpr int kMicroseconds = 1;

std::string latency_text(std::optional<double> ns, bool rough) {
  if (!ns) return {};
  return (rough ? "~" : "") + number_text(*ns / 1e3, kMicroseconds);
}

std::vector<std::string> cells_of(const chart::DiskFigures& disk) {
  return {number_text(disk.mb_per_s, kRate), number_text(disk.iops, 0),
          number_text(disk.mean_us, kMicroseconds), number_text(disk.flushes_per_s, 0),
          number_text(disk.flush_mean_us, kMicroseconds)};
}

}  // namespace

std::string latency_table(std::string_view caption, const std::vector<chart::LatencyCurve>& curves,
                          const std::vector<std::string>& names) {
  std::vector<std::string> heads{"Percentile"};
  heads.insert(heads.end(), names.begin(), names.end());
  TableText table(caption, heads, Align::numbers);
  std::vector<std::string> cells(curves.size());
  for (std::size_t i = 0; i < chart::grid_percents().size(); ++i) {
    bool any = false;
    for (std::size_t j = 0; j < curves.size(); ++j) {
      const chart::QuantilePoint& point = curves[j].points[i];
      cells[j] = latency_text(point.latency_ns, point.rough);
      any = any || point.latency_ns;
    }
    if (any) table.row(fmt::format("{:.9g}", chart::grid_percents()[i]), cells);
  }
  table.foot();
  for (std::size_t j = 0; j < curves.size(); ++j) cells[j] = latency_text(curves[j].max_ns, false);
  table.row("longest", cells);
  for (std::size_t j = 0; j < curves.size(); ++j) cells[j] = fmt::to_string(curves[j].count);
  table.row("I/Os", cells);
  return table.text();
}

std::string course_table(const chart::Course& course) {
  TableText table(course.name + ": each slice of time",
                  {"Until (s)", "MB/s", "IOPS", "p50 (us)", "p99 (us)", "longest (us)"},
                  Align::numbers);
  for (const chart::CoursePoint& point : course.points) {
    table.row(number_text(point.end_s, kSeconds),
              {number_text(point.mb_per_s, kRate), number_text(point.iops, 0),
               number_text(point.p50_us, kMicroseconds), number_text(point.p99_us, kMicroseconds),
               number_text(point.max_us, kMicroseconds)});
  }
  return table.text();
}

std::string disks_table(const chart::Course& course) {
  if (!course.all_disks) return {};
  TableText table("The disks by their own counters, means of the whole row, whoever used them",
                  {"Disk", "MB/s", "I/Os per s", "mean (us)", "flushes per s", "mean flush (us)"},
                  Align::numbers);
  for (const chart::DiskFigures& disk : course.disks) table.row(disk.name, cells_of(disk));
  if (course.disks.size() > 1) {
    table.foot();
    table.row(course.all_disks->name, cells_of(*course.all_disks));
  }
  return table.text();
}

std::string sides_table(const std::vector<chart::Course>& courses,
                        const std::vector<std::string>& sides) {
  TableText table(courses.front().name + ": each slice of time",
                  {"Side", "until (s)", "MB/s", "p99 (us)"}, Align::numbers);
  for (std::size_t i = 0; i < courses.size(); ++i) {
    for (const chart::CoursePoint& point : courses[i].points) {
      table.row(sides[i], {number_text(point.end_s, kSeconds), number_text(point.mb_per_s, kRate),
                           number_text(point.p99_us, kMicroseconds)});
    }
  }
  return table.text();
}

}  // namespace sthd::html
