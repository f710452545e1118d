#include <algorithm>
#include <cstdint>
#include <map>

#include "sthd/metrics.hpp"
#include "total.hpp"

namespace sthd {
namespace {

/// The loops of each repeat, in the order of the repeats. One that was cut short is left out.
std::map<std::uint32_t, std::vector<const LoopResult*>> completed(const ResultRecord& record) {
  std::map<std::uint32_t, std::vector<const LoopResult*>> repeats;
  for (const LoopResult& loop : record.loops) repeats[loop.repeat].push_back(&loop);
  if (record.status == Status::ok) return repeats;
  std::erase_if(repeats, [&record](const auto& repeat) {
    return repeat.second.size() < record.job.workload.loops;
  });
  return repeats;
}

/// Empty when one of them does not know it.
std::vector<MetricValue> values_of(const ResultRecord& record, Op op, std::string_view name) {
  std::vector<MetricValue> values;
  for (const auto& [repeat, loops] : completed(record)) {
    const auto value = metric(Part{record, loops}, op, name);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

}  // namespace

std::vector<double> by_repeat(const ResultRecord& record, Op op, std::string_view name) {
  std::vector<double> values;
  for (const MetricValue& value : values_of(record, op, name)) values.push_back(value.value);
  return values;
}

double Spread::half_range_percent() const {
  return median == 0 ? 0 : 100 * (max - min) / 2 / median;
}

std::optional<Spread> spread(const ResultRecord& record, Op op, std::string_view name) {
  std::vector<MetricValue> values = values_of(record, op, name);
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end(),
            [](const MetricValue& a, const MetricValue& b) { return a.value < b.value; });
  const std::size_t half = values.size() / 2;
  Spread all{.median = values.size() % 2 == 1 ? values[half].value
                                              : (values[half - 1].value + values[half].value) / 2,
             .min = values.front().value,
             .max = values.back().value,
             .repeats = values.size(),
             .samples = values.front().samples};
  for (const MetricValue& value : values) {
    all.rough = all.rough || value.rough;
    all.samples = std::min(all.samples, value.samples);
  }
  return all;
}

std::optional<std::size_t> best_repeat(const ResultRecord& record) {
  const Op op = record.job.workload.op;  // mixed: both directions of one repeat
  std::vector<double> rates = by_repeat(record, op, "iops");
  if (rates.empty()) rates = by_repeat(record, op, "bw");  // the I/Os were not counted
  if (rates.empty()) return std::nullopt;
  return static_cast<std::size_t>(std::max_element(rates.begin(), rates.end()) - rates.begin());
}

std::optional<MetricValue> typical(const ResultRecord& record, Op op, std::string_view name) {
  if (record.job.workload.repeat <= 1) return metric(record, op, name);
  if (record.job.workload.score == Score::max) {
    const auto best = best_repeat(record);
    const std::vector<MetricValue> values = values_of(record, op, name);
    return best && *best < values.size() ? values[*best] : metric(record, op, name);
  }
  const auto all = spread(record, op, name);
  if (!all) return metric(record, op, name);
  return MetricValue{all->median, all->rough, all->samples};
}

}  // namespace sthd
