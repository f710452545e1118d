#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kFar = 20;           // times the median: no queueing of equals makes that
constexpr double kMuchTime = 0.1;     // of all latency together, spent in those
constexpr double kFewAreRare = 0.01;  // of the I/Os: more are a second kind, not outliers
constexpr std::uint64_t kEnough = 1000;

struct Tail {
  double ios = 0;
  double share = 0;  ///< of the summed latency
};

Tail tail_of(const LatencyHistogram& latency, double limit_ns) {
  Tail tail;
  double time = 0;
  for (const auto& [lower, count] : latency.bins()) {
    if (static_cast<double>(lower) < limit_ns) continue;
    tail.ios += static_cast<double>(count);
    time += static_cast<double>(lower) * static_cast<double>(count);
  }
  tail.share = time / static_cast<double>(latency.sum_ns());
  return tail;
}

}  // namespace

namespace rules {

/// A few I/Os took so long that they cost a good part of the time.
std::vector<Finding> outliers(const Report& report) {
  return each_measured(report, [](const ResultRecord& record) -> std::optional<Finding> {
    const auto result = merged(record, record.job.workload.op);
    if (!result || result->lat.count() < kEnough || result->lat.sum_ns() == 0) return std::nullopt;
    const auto median = result->lat.quantile_ns(0.5);
    if (!median || *median == 0) return std::nullopt;
    const Tail tail = tail_of(result->lat, kFar * static_cast<double>(*median));
    const double count = static_cast<double>(result->lat.count());
    if (tail.share < kMuchTime || tail.ios > kFewAreRare * count) return std::nullopt;
    const auto longest = static_cast<double>(result->lat.max_ns().value_or(0));
    return Finding{
        .code = "outliers",
        .severity = Severity::note,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"outliers", tail.ios},
                     {"outlier_time_percent", tail.share * 100},
                     {"p50_ns", static_cast<double>(*median)},
                     {"max_ns", longest}},
        .mark = "few long I/Os",
        .text = fmt::format(
            "{:.0f} of {:.0f} I/Os took more than {:.0f} times the median and {:.0f} % of all the "
            "time; the longest took {}.",
            tail.ios, count, kFar, tail.share * 100,
            human_duration(static_cast<std::uint64_t>(longest))),
        .remedy =
            "Look at p99_9 and the longest beside the mean (-f timeseries:FILE shows when); "
            "a flush, garbage collection, other load or a failing drive looks so.",
    };
  });
}

Check outliers_check() { return {"outliers", {Need::latency_bins}}; }

}  // namespace rules

}  // namespace sthd::analyze
