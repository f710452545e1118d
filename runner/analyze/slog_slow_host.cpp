#include <fmt/format.h>

#include "runner/analyze/log_device.hpp"
#include "runner/analyze/remedies.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

// The commit path of OpenZFS costs a core of 2014 about 70 us at full clock;
// more is the host's power saving, virtualisation or load.
constexpr double kHostFloor = 100e3;  // ns
constexpr double kFast = 0.5;         // of the application's latency, at most, is the device's

}  // namespace

namespace rules {

/// The log device answers fast, and the time goes by above it.
std::vector<Finding> slog_slow_host(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    if (!on_zfs(report) || !writes_durably(report, record) || !one_at_a_time(record)) {
      return std::nullopt;
    }
    const auto device = slowest_commit_ns(report, record, "log");
    const auto mean = application_mean_ns(record, Op::write);
    const auto zil = zil_of(record);
    if (zil && !log_took(*zil)) return std::nullopt;  // it did not wait for the log alone
    if (!device || !mean || *device > kFast * *mean || *mean - *device < kHostFloor) {
      return std::nullopt;
    }
    const double host = *mean - *device;
    return Finding{
        .code = "slog-slow-host",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = Op::write,
        .evidence = {{"application_mean_ns", *mean},
                     {"log_device_mean_ns", *device},
                     {"host_ns", host}},
        .mark = fmt::format("{:.0f} % of it above the log device", host / *mean * 100),
        .text = fmt::format("A commit takes {:.0f} us and the log device {:.0f} us of it: {:.0f} "
                            "us are spent above the device, in the host.",
                            *mean / 1e3, *device / 1e3, host / 1e3),
        .remedy =
            "Look at governor, idle states and the firmware's power profile before blaming "
            "the device. " +
            pool_watch(report),
    };
  });
}

Check slog_slow_host_check() { return {"slog-slow-host", {Need::intent_log, Need::disk_time}}; }

}  // namespace rules

}  // namespace sthd::analyze
