#include <fmt/format.h>

#include <algorithm>

#include "runner/analyze/layers.hpp"
#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

// Devices vary by some percent from one fifth of a second to the next; a limiter's budget is exact.
constexpr double kFlat = 0.03;
constexpr std::uint64_t kSpan = 200 * kMillisecond;
constexpr std::size_t kFewSpans = 8;
constexpr double kAbove = 0.5;   // of the time spent above the devices: they were not the limit
constexpr double kServed = 0.5;  // of the job's I/Os reached the devices

/// The middle half of the rates ÷ their median, the first and last span left out: a limited device
/// may stall for a moment, and is flat all the same.
std::optional<double> flatness(const ResultRecord& record, Op op) {
  if (record.loops.empty()) return std::nullopt;
  const auto& part = op == Op::read ? record.loops.front().read : record.loops.front().write;
  if (!part || part->samples.empty()) return std::nullopt;
  const std::size_t spans = part->samples.back().at_ns / kSpan;
  if (spans < kFewSpans || part->samples.size() < spans) return std::nullopt;
  std::vector<double> rates = rates_of(*part, spans);
  std::sort(rates.begin() + 1, rates.end() - 1);
  const std::size_t count = rates.size() - 2;
  const double low = rates[1 + count / 4];
  const double high = rates[count - count / 4];
  const double median = rates[1 + count / 2];
  return median > 0 ? std::optional((high - low) / median) : std::nullopt;
}

/// The share of an I/O's time that was spent waiting above the devices.
std::optional<double> above_devices(const Report& report, const ResultRecord& record, Op op) {
  const auto ios = disk_total(record, std::string(to_text(op)) + "_ios");
  const auto result = merged(record, op);
  if (!ios || !result || *ios < kServed * static_cast<double>(result->ios)) return std::nullopt;
  return waited_share(report, record);
}

}  // namespace

namespace rules {

/// The rate is flat as no device's is, and the time is spent waiting above the devices.
std::vector<Finding> rate_limited(const Report& report) {
  const std::string_view limit = word(report, "cgroup.io_max");
  const bool limits = !limit.empty() && limit != "max";
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const Op op = record.job.workload.op;
    if (op == Op::mixed || record.job.workload.rate_iops > 0) return std::nullopt;
    const auto flat = flatness(record, op);
    const auto above = above_devices(report, record, op);
    const auto iops = metric(record, op, "iops");
    if (!flat || !above || !iops || *flat > kFlat || *above < kAbove) return std::nullopt;
    Finding finding{
        .code = "rate-limited",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = op,
        .evidence = {{"variation_percent", *flat * 100}, {"above_device_percent", *above * 100}},
        .mark = "likely an I/O limit",
        .text = fmt::format("The rate mostly stayed within {:.1f} % of {:.0f} IOPS and {:.0f} % of "
                            "the time was spent above the device: likely a limit, not the device.",
                            *flat * 100, iops->value, *above * 100),
        .remedy =
            "Look at io.max (blkio.throttle.*) of the cgroups, the hypervisor's or cloud's "
            "limit for this disk.",
    };
    if (limits) {
      finding.evidence.push_back({"io_max", std::string(limit)});
      finding.remedy = fmt::format("The cgroup has a limit: io.max = {}.", display(limit));
    }
    return finding;
  });
}

Check rate_limited_check() { return {"rate-limited", {Need::course, Need::disk_time}}; }

}  // namespace rules

}  // namespace sthd::analyze
