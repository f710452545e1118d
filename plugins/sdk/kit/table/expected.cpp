#include "kit/table/expected.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kit/table/number.hpp"
#include "sthd/metrics.hpp"

namespace sthd::table {

Column metric_column(std::string_view name) {
  const std::string metric(name);
  if (metric == "bw") return {.metric = metric, .unit = "MB/s", .precision = 2};
  if (metric == "bytes") return {.metric = metric, .unit = "B", .precision = 0};
  if (metric == "seconds") return {.metric = metric, .unit = "s", .precision = 2};
  if (metric == "iops") return {.metric = metric, .unit = "", .precision = 0};
  if (metric.find('.') == std::string::npos) return {.metric = metric, .unit = "", .precision = 1};
  return {.metric = metric, .unit = "us", .precision = 1};
}

std::string metric_text(std::string_view metric, std::optional<double> value) {
  if (!value) return {};
  const Column column = metric_column(metric);
  const std::string text = number_cell(column, MetricValue{*value}).text;
  return column.unit.empty() || text.empty() ? text : text + " " + column.unit;
}

std::string range_text(const ExpectedRange& range) {
  const std::string low = metric_text(range.metric, range.low);
  const std::string high = metric_text(range.metric, range.high);
  std::string text;
  if (range.low && range.high) {
    text = fmt::format("{} to {}", low, high);
  } else if (range.low) {
    text = "at least " + low;
  } else if (range.high) {
    text = "at most " + high;
  }
  if (range.spec) text += fmt::format(" (spec {})", metric_text(range.metric, range.spec));
  return text;
}

const Expectation* expectation_of(const Report& report, const Judgement& judgement) {
  const auto found = std::find_if(
      report.expectations.begin(), report.expectations.end(),
      [&judgement](const Expectation& each) { return each.id == judgement.expectation; });
  return found == report.expectations.end() ? nullptr : &*found;
}

}  // namespace sthd::table
