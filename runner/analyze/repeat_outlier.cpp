#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

// B. Iglewicz and D. C. Hoaglin, How to Detect and Handle Outliers (1993): the modified z-score
// 0.6745 (x - median) / MAD is suspicious beyond 3.5. 0.6745 is the quartile of the normal
// distribution: MAD / 0.6745 estimates its standard deviation.
constexpr double kScale = 0.6745;
constexpr double kFar = 3.5;
constexpr std::size_t kFewest = 5;  // below, the median deviation is chance
// Of the median. The deviation of few repeats may be small by chance, and a normal repeat then
// looks far away: this is what a reader would act upon.
constexpr double kMatters = 0.1;

/// Precondition: there are some.
double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// What each repeat did, in their order.
struct Rates {
  std::vector<double> values;
  bool of_bytes = false;  ///< the I/Os were not counted

  [[nodiscard]] std::string text(double rate) const {
    return of_bytes ? fmt::format("{:.2f}", rate / kMB) : fmt::format("{:.0f}", rate);
  }
};

Rates rates_of(const ResultRecord& record) {
  const Op op = record.job.workload.op;
  Rates rates{by_repeat(record, op, "iops")};
  if (rates.values.empty()) rates = {by_repeat(record, op, "bw"), true};
  return rates;
}

struct Outliers {
  double median = 0;
  double deviation = 0;  ///< the median one
  std::vector<std::size_t> repeats;
};

Outliers outliers_in(const std::vector<double>& values) {
  Outliers found;
  if (values.size() < kFewest) return found;
  found.median = median_of(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - found.median));
  found.deviation = median_of(deviations);
  if (found.deviation == 0) return found;  // more than half are the same
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool far = kScale * deviations[i] / found.deviation > kFar;
    if (far && deviations[i] >= kMatters * found.median) found.repeats.push_back(i);
  }
  return found;
}

/// "1", "1 and 2", "1, 2 and 3".
template <class F>
std::string listed(const std::vector<std::size_t>& repeats, F text_of) {
  std::string text;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    if (i > 0) text += i + 1 == repeats.size() ? " and " : ", ";
    text += text_of(repeats[i]);
  }
  return text;
}

std::optional<Finding> judged(const ResultRecord& record) {
  const Rates rates = rates_of(record);
  const Outliers found = outliers_in(rates.values);
  if (found.repeats.empty()) return std::nullopt;
  const auto place = [](std::size_t repeat) { return fmt::to_string(repeat + 1); };
  const auto rate = [&](std::size_t repeat) { return rates.text(rates.values[repeat]); };
  const auto best = best_repeat(record);
  const bool stands =
      record.job.workload.score == Score::max && best &&
      std::find(found.repeats.begin(), found.repeats.end(), *best) != found.repeats.end();
  std::string text = fmt::format("Repeat{} {} of {} did {} {}; the median is {}.",
                                 found.repeats.size() == 1 ? "" : "s", listed(found.repeats, place),
                                 rates.values.size(), listed(found.repeats, rate),
                                 rates.of_bytes ? "MB/s" : "IOPS", rates.text(found.median));
  if (stands) text += fmt::format(" Repeat {} stands for the row.", *best + 1);
  const std::string unit = rates.of_bytes ? "bytes_per_s" : "iops";
  return Finding{
      .code = "repeat-outlier",
      .severity = Severity::note,
      .job = record.job.id,
      .op = direction(record),
      .evidence = {{"outlier_repeats", listed(found.repeats, place)},
                   {"repeats", static_cast<double>(rates.values.size())},
                   {unit, rates.values[found.repeats.front()]},
                   {"median_" + unit, found.median},
                   {"median_deviation_" + unit, found.deviation}},
      .mark = "outlier among the repeats",
      .text = std::move(text),
      .remedy = stands
                    ? "Let the median stand for the row: --set score=median."
                    : "See what else ran then: -f timeseries:FILE shows its course. More repeats "
                      "(--repeat 10) tell chance from cause.",
  };
}

}  // namespace

namespace rules {

/// A repeat that has little in common with the others of its row.
std::vector<Finding> repeat_outlier(const Report& report) { return each_measured(report, judged); }

Check repeat_outlier_check() { return {"repeat-outlier", {}}; }

}  // namespace rules

}  // namespace sthd::analyze
