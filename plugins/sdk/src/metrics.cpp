#include "sthd/metrics.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "total.hpp"

namespace sthd {
namespace {

using Histogram = std::optional<LatencyHistogram>;

/// Each loop began where the ones before it ended. Both directions together are not one course of
/// time.
std::vector<Sample> series_of(const ResultRecord& record, Op op) {
  std::vector<Sample> samples;
  std::uint64_t begin_ns = 0;
  for (const LoopResult& loop : record.loops) {
    const std::optional<OpResult>& part = op == Op::read ? loop.read : loop.write;
    if (!part) continue;
    for (const Sample& sample : part->samples) {
      samples.push_back(sample);
      samples.back().at_ns += begin_ns;
    }
    begin_ns += part->elapsed_ns;
  }
  coarsen(samples);
  return samples;
}

std::optional<double> per_second(std::uint64_t amount, std::uint64_t elapsed_ns) {
  if (elapsed_ns == 0) return std::nullopt;
  return static_cast<double>(amount) * 1e9 / static_cast<double>(elapsed_ns);
}

std::optional<MetricValue> plain(std::optional<double> value) {
  if (!value) return std::nullopt;
  return MetricValue{*value, false, 0};
}

struct LatencyName {
  std::string_view histogram;
  std::string_view figure;
};

std::optional<LatencyName> latency_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  constexpr std::array<std::string_view, 5> kHistograms{"lat", "clat", "slat", "sync", "response"};
  const LatencyName parts{name.substr(0, dot), name.substr(dot + 1)};
  if (std::find(kHistograms.begin(), kHistograms.end(), parts.histogram) == kHistograms.end()) {
    return std::nullopt;
  }
  const bool known = parts.figure == "min" || parts.figure == "mean" || parts.figure == "max" ||
                     quantile_of(parts.figure);
  if (!known) return std::nullopt;
  return parts;
}

const LatencyHistogram* histogram_of(const OpResult& result, std::string_view name) {
  if (name == "lat") return &result.lat;
  const Histogram& part = name == "clat"   ? result.clat
                          : name == "slat" ? result.slat
                          : name == "sync" ? result.sync
                                           : result.response;
  return part ? &*part : nullptr;
}

std::optional<double> as_double(std::optional<std::uint64_t> value) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

std::optional<MetricValue> latency(const OpResult& result, const LatencyName& name) {
  const LatencyHistogram* histogram = histogram_of(result, name.histogram);
  if (histogram == nullptr) return std::nullopt;
  std::optional<double> value;
  bool rough = false;
  if (name.figure == "min") {
    value = as_double(histogram->min_ns());
  } else if (name.figure == "max") {
    value = as_double(histogram->max_ns());
  } else if (name.figure == "mean") {
    value = histogram->mean_ns();
  } else if (const auto q = quantile_of(name.figure)) {
    value = as_double(histogram->quantile_ns(*q));
    rough = histogram->quantile_is_rough(*q);
  }
  if (!value) return std::nullopt;
  return MetricValue{*value, rough, histogram->count()};
}

constexpr double kSubmissionShare = 0.5;  // of the latency

bool is_buffered_libaio(const Resolution& how) {
  return how.engine == "libaio" && how.direct_effective == false;
}

/// The time in which I/O was submitted: after the last write, in end_fsync, none is.
std::uint64_t submitting_ns(const Part& part, const OpResult& result) {
  std::uint64_t window_ns = result.elapsed_ns;
  for (const LoopResult* loop : part.loops) {
    const std::uint64_t tail = loop->end_fsync_ns.value_or(0);
    window_ns -= std::min(tail, window_ns);
  }
  return window_ns;
}

/// In fsync and fdatasync, over all threads. Not from merged(): a loop may have needed none.
double syncing_ns(const Part& part, Op op) {
  double sum_ns = 0;
  for (const LoopResult* loop : part.loops) {
    for (const Op each : {Op::read, Op::write}) {
      const std::optional<OpResult>& result = each == Op::read ? loop->read : loop->write;
      if (op != Op::mixed && op != each) continue;
      if (result && result->sync) sum_ns += static_cast<double>(result->sync->sum_ns());
    }
  }
  return sum_ns;
}

/// Of all threads' time: of both directions where there are two.
std::optional<double> submit_share(const Part& part, const OpResult& result) {
  double submit_ns = 0;
  for (const LoopResult* loop : part.loops) {
    if (!loop->submit_ns) return std::nullopt;
    submit_ns += static_cast<double>(*loop->submit_ns);
  }
  const double time_ns = static_cast<double>(submitting_ns(part, result)) *
                         static_cast<double>(part.record.job.workload.threads);
  if (time_ns == 0) return std::nullopt;
  return 100 * submit_ns / time_ns;
}

bool served_in_submission(const Resolution& how, const OpResult* result) {
  if (is_buffered_libaio(how)) return true;
  if (result == nullptr || !result->slat) return false;
  const auto slat = result->slat->mean_ns();
  const auto lat = result->lat.mean_ns();
  return slat && lat && *slat > *lat * kSubmissionShare;
}

std::optional<double> depth_of(const Part& part, Op op) {
  const ResultRecord& record = part.record;
  if (record.status == Status::failed) return std::nullopt;
  const Total result(part, op);
  const std::uint64_t window = result ? submitting_ns(part, *result) : 0;
  if (window == 0 || result->ios == 0 || result->lat.count() == 0) return std::nullopt;
  const auto in_work = [&](const LatencyHistogram& histogram) {
    const double ios = static_cast<double>(result->ios);
    return ios * histogram.mean_ns().value_or(0) / static_cast<double>(window);
  };
  double depth = 0;
  if (served_in_submission(record.resolution, &*result)) {
    const bool apart = result->slat && result->slat->count() > 0;
    depth =
        std::min<double>(record.job.workload.threads, in_work(apart ? *result->slat : result->lat));
    if (result->clat && !is_buffered_libaio(record.resolution)) depth += in_work(*result->clat);
  } else {
    depth = in_work(result->lat);
  }
  return depth + syncing_ns(part, op) / static_cast<double>(window);
}

bool is_plain(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames{"iops",    "bw",    "bytes",
                                                   "seconds", "depth", "submit_share"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

std::optional<OpResult> merged(const ResultRecord& record, Op op) {
  const Total total(whole(record), op);
  if (!total) return std::nullopt;
  OpResult result = Total::without_samples(*total);
  if (op != Op::mixed) result.samples = series_of(record, op);
  return result;
}

std::optional<MetricValue> metric(const ResultRecord& record, Op op, std::string_view name) {
  return metric(whole(record), op, name);
}

std::optional<MetricValue> metric(const Part& part, Op op, std::string_view name) {
  if (part.record.status == Status::failed || !is_metric(name)) return std::nullopt;
  if (name == "depth") return plain(depth_of(part, op));
  const Total result(part, op);
  if (!result) return std::nullopt;
  if (name == "submit_share") return plain(submit_share(part, *result));
  if (name == "bytes") return MetricValue{static_cast<double>(result->bytes), false, 0};
  if (name == "bw") return plain(per_second(result->bytes, result->elapsed_ns));
  if (name == "iops") {
    // Bytes without I/Os: the backend did not count them.
    if (result->ios == 0 && result->bytes != 0) return std::nullopt;
    return plain(per_second(result->ios, result->elapsed_ns));
  }
  if (name == "seconds") {
    if (result->elapsed_ns == 0) return std::nullopt;
    return MetricValue{static_cast<double>(result->elapsed_ns) / 1e9, false, 0};
  }
  return latency(*result, *latency_name(name));
}

bool is_metric(std::string_view name) { return is_plain(name) || latency_name(name); }

bool lower_is_better(std::string_view name) {
  return name == "seconds" || name == "submit_share" || latency_name(name).has_value();
}

std::optional<double> quantile_of(std::string_view name) {
  if (name.size() < 2 || name.front() != 'p') return std::nullopt;
  name.remove_prefix(1);
  const std::size_t bar = name.find('_');
  const std::string_view whole = name.substr(0, bar);
  const std::string_view part = bar == std::string_view::npos ? "" : name.substr(bar + 1);
  constexpr std::size_t kMaxDecimals = 6;
  if (whole.empty() || whole.size() > 2 || whole.front() == '0') return std::nullopt;
  if (bar != std::string_view::npos && (part.empty() || part.size() > kMaxDecimals)) {
    return std::nullopt;
  }
  double digits = 0;  // whole numbers, so that p99_9 is exactly the double nearest to 0.999
  double scale = 100;
  for (const std::string_view piece : {whole, part}) {
    for (const char c : piece) {
      if (c < '0' || c > '9') return std::nullopt;
      digits = digits * 10 + (c - '0');
    }
  }
  for (std::size_t i = 0; i < part.size(); ++i) scale *= 10;
  return digits / scale;
}

bool served_in_submission(const ResultRecord& record, Op op) {
  const Total result(whole(record), op);
  return served_in_submission(record.resolution, result ? &*result : nullptr);
}

std::optional<double> depth_reached(const ResultRecord& record, Op op) {
  return depth_of(whole(record), op);
}

}  // namespace sthd
