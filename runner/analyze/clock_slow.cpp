#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

// The time stamp counter is read in some 20-40 ns without a system call; HPET, the ACPI timer and a
// trapped counter take a microsecond and more.
constexpr double kSlow = 500;     // ns
constexpr double kReadsAnIo = 2;  // at most: one at each end
constexpr double kWeighs = 0.05;  // of the shortest mean latency of a row

std::optional<double> shortest_mean_ns(const Report& report) {
  std::optional<double> shortest;
  for (const ResultRecord& record : report.records) {
    const auto mean = metric(record, record.job.workload.op, "lat.mean");
    if (mean && (!shortest || mean->value < *shortest)) shortest = mean->value;
  }
  return shortest;
}

}  // namespace

namespace rules {

/// To look at the clock costs so much that the measurement measures itself.
std::vector<Finding> clock_slow(const Report& report) {
  const auto read = number(report, "clock.read_ns");
  if (report.records.empty() || !read || *read < kSlow) return {};
  const auto mean = shortest_mean_ns(report);
  const bool weighs = mean && kReadsAnIo * *read >= kWeighs * *mean;
  const std::string_view source = word(report, "clock.source");
  return {Finding{
      .code = "clock-slow",
      .severity = weighs ? Severity::suspect : Severity::note,
      .evidence = {{"clock_read_ns", *read}, {"clock_source", std::string(source)}},
      .text = fmt::format("One look at the clock ({}) takes {:.1f} us{}.",
                          source.empty() ? "source unknown" : display(source), *read / 1e3,
                          weighs ? ", and each I/O needs up to two: the shortest latencies are "
                                   "partly the clock's"
                                 : ""),
      .remedy =
          "Use a machine whose clock source is tsc (or kvm-clock, hyperv_clocksource_tsc_page) "
          "for short latencies.",
  }};
}

Check clock_slow_check() { return {"clock-slow", {Need::clock}}; }

}  // namespace rules

}  // namespace sthd::analyze
