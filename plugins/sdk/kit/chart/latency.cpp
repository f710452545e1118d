#include "kit/chart/latency.hpp"

#include <fmt/format.h>

#include "sthd/metrics.hpp"
#include "sthd/text.hpp"

namespace sthd::chart {
namespace {

std::vector<double> make_percents() {
  std::vector<double> percents{0};
  constexpr int kDecades = 7;
  double decade = 0.1;
  for (int i = 0; i < kDecades; ++i, decade /= 10) {
    for (const double beyond : {8.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.5, 1.0}) {
      percents.push_back(100 * (1 - beyond * decade));
    }
  }
  return percents;
}

QuantilePoint point_of(const LatencyHistogram& histogram, double percent) {
  const double q = percent / 100;
  const auto ns = q > 0 ? histogram.quantile_ns(q) : histogram.min_ns();
  if (!ns) return {};
  return {static_cast<double>(*ns), q > 0 && histogram.quantile_is_rough(q)};
}

void add_curve(std::string name, const LatencyHistogram& histogram,
               std::vector<LatencyCurve>& curves) {
  if (histogram.count() == 0 || !histogram.has_bins()) return;
  LatencyCurve curve{.name = std::move(name),
                     .count = histogram.count(),
                     .points = {},
                     .max_ns = static_cast<double>(histogram.max_ns().value_or(0))};
  for (const double percent : grid_percents()) {
    curve.points.push_back(point_of(histogram, percent));
  }
  curves.push_back(std::move(curve));
}

}  // namespace

std::string row_name(const Job& job, Op op) {
  return display(fmt::format("{} {}", job.label, to_text(op)));
}

const std::vector<double>& grid_percents() {
  static const std::vector<double> percents = make_percents();
  return percents;
}

std::vector<LatencyCurve> latency_curves(const ResultRecord& record, Op op) {
  std::vector<LatencyCurve> curves;
  if (record.status == Status::failed) return curves;
  const auto result = merged(record, op);
  if (!result) return curves;
  const std::string name = row_name(record.job, op);
  add_curve(name, result->lat, curves);
  if (result->response) add_curve(name + " response", *result->response, curves);
  if (result->sync) add_curve(name + " sync", *result->sync, curves);
  return curves;
}

}  // namespace sthd::chart
