#include <fmt/format.h>

#include "runner/analyze/log_device.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

constexpr double kSlower = 1.5;  // times: below, the kinds of I/O they get may explain it

/// The data disks had few flushes, but as a log they would have as many for each write as the log
/// device has. 0 where theirs were not timed: then writes alone compare.
double flushes_of_log(const Report& report, const ResultRecord& record) {
  for (const std::size_t disk : disks_of(report, "data")) {
    if (!device_flush_mean_ns(record, disk)) return 0;
  }
  double flushes = 0;
  for (const std::size_t disk : disks_of(report, "log")) {
    flushes = std::max(flushes, flushes_a_write(record, disk));
  }
  return flushes;
}

}  // namespace

namespace rules {

/// The log device answers later than the data disks do: it is no help.
std::vector<Finding> slog_slower_than_pool(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    if (!on_zfs(report) || !writes_durably(report, record)) return std::nullopt;
    const double flushes = flushes_of_log(report, record);
    const auto log = slowest_commit_ns(report, record, "log", flushes);
    const auto data = slowest_commit_ns(report, record, "data", flushes);
    if (!log || !data || *log < kSlower * *data) return std::nullopt;
    const std::string_view pool = word(report, "zfs.pool");
    const std::string_view name = word(report, "zfs.log.0.name");
    return Finding{
        .code = "slog-slower-than-pool",
        .severity = Severity::note,
        .job = record.job.id,
        .op = Op::write,
        .evidence = {{"log_device_mean_ns", *log}, {"data_disk_mean_ns", *data}},
        .text = fmt::format("The log device takes {:.0f} us for a write, the data disks {:.0f} us: "
                            "likely the pool is faster without it.",
                            *log / 1e3, *data / 1e3),
        .remedy = fmt::format("Compare without: `zpool remove {} {}`, run slog again, and add it "
                              "back if it is slower.",
                              pool.empty() ? "POOL" : display(pool),
                              name.empty() ? "DEVICE" : display(name)),
    };
  });
}

Check slog_slower_than_pool_check() {
  return {"slog-slower-than-pool", {Need::intent_log, Need::disk_time}};
}

}  // namespace rules

}  // namespace sthd::analyze
