#include "runner/compare/interval.hpp"

#include <algorithm>
#include <cmath>

#include "runner/analyze/effects.hpp"
#include "runner/compare/course.hpp"
#include "sthd/metrics.hpp"

namespace sthd::compare {
namespace {

constexpr std::uint64_t kSeed = 1989;  // any will do, the same each time
constexpr std::size_t kDraws = 200;    // Efron and Tibshirani, 6.4: very seldom more are needed
constexpr std::size_t kFewestBlocks = 8;
constexpr double kPieces = 1.5;
constexpr double kLeastError = 0.01;  // of a figure
constexpr std::size_t kMostDegrees = 100;
constexpr double kMostHalf = 6.9;  // ln 1000

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Standard deviation, of at least two values.
double deviation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double square(double value) { return value * value; }

/// The deviation of `draw`'s logarithms; empty when one of them is unknown.
template <class F>
std::optional<double> error_of(F draw) {
  native::Random random(kSeed);
  std::vector<double> logs;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const std::optional<double> value = draw(random);
    if (!value || !(*value > 0)) return std::nullopt;
    logs.push_back(std::log(*value));
  }
  return deviation_of(logs);
}

bool is_rate(std::string_view metric) {
  return metric == "iops" || metric == "bw" || metric == "bytes" || metric == "seconds";
}

/// "p99" of "lat.p99"; empty for what is not in a slice's bins.
std::string_view latency_figure(std::string_view metric) {
  constexpr std::string_view kWhole = "lat.";
  if (!metric.starts_with(kWhole)) return {};
  const std::string_view figure = metric.substr(kWhole.size());
  return figure == "mean" || quantile_of(figure) ? figure : std::string_view();
}

std::optional<double> value_of(const Stretch& stretch, std::string_view figure) {
  return figure == "mean" ? stretch.mean() : stretch.quantile(*quantile_of(figure));
}

/// What moves inside of a bin is not seen in the bins. It is no more than chance inside of one, and
/// where the next I/O waits for the last one, latency is depth ÷ rate: no more than the rate moves
/// (`most`).
double hidden_error(double latency_ns, std::optional<double> most) {
  const std::size_t bin = CoarseGrid::index_of(static_cast<std::uint64_t>(latency_ns));
  const auto lower = static_cast<double>(CoarseGrid::lower_of(bin));
  const auto width = static_cast<double>(CoarseGrid::width_of(bin));
  const double inside = std::log1p(width / std::max(lower, 1.0)) / std::sqrt(12.0);
  return std::min(most.value_or(inside), inside);
}

/// Within the run.
std::optional<double> error_within(const Course& course, std::size_t blocks,
                                   std::string_view metric, bool open_loop) {
  const std::size_t length = course.slices() / blocks;
  const auto rate_error =
      error_of([&](native::Random& random) { return course.drawn(blocks, length, random).rate(); });
  if (!rate_error || is_rate(metric)) return rate_error;
  const std::string_view figure = latency_figure(metric);
  const auto latency = value_of(course.whole(), figure);
  const auto error = error_of([&](native::Random& random) {
    return value_of(course.drawn(blocks, length, random), figure);
  });
  if (!error || !latency) return std::nullopt;
  const auto most = open_loop ? std::nullopt : rate_error;
  return std::hypot(*error, hidden_error(*latency, most));
}

std::optional<Uncertainty> uncertainty(const ResultRecord& record, Op op, std::string_view metric) {
  const auto repeats = by_repeat(record, op, metric);
  if (repeats.size() > 1) return of_repeats(repeats, record.job.workload.score);
  if (!is_rate(metric) && latency_figure(metric).empty()) return std::nullopt;
  const auto all = merged(record, op);
  const bool open_loop = record.job.workload.rate_iops > 0;
  return all ? of_course(all->samples, metric, open_loop) : std::nullopt;
}

struct Interval {
  double low = 0;
  double high = 0;
};

/// Nothing where it would be so wide that it says nothing.
std::optional<Interval> interval_of(double ratio, const Uncertainty& a, const Uncertainty& b) {
  const double measured = square(a.error) + square(b.error);
  const double variance = measured + 2 * square(kLeastError);
  const auto share = [](const Uncertainty& side) {
    return square(square(side.error)) / static_cast<double>(side.degrees);
  };
  const double shares = share(a) + share(b);
  const double degrees = shares > 0 ? square(variance) / shares : kMostDegrees;
  const auto whole =
      static_cast<std::size_t>(std::clamp(degrees, 1.0, static_cast<double>(kMostDegrees)));
  const double half = analyze::student_t(whole) * std::sqrt(variance);
  if (half > kMostHalf) return std::nullopt;
  return Interval{ratio * std::exp(-half), ratio * std::exp(half)};
}

Change change_of(const Interval& interval, std::string_view metric) {
  if (interval.low <= 1 && interval.high >= 1) return Change::none_shown;
  const bool less = interval.high < 1;
  return less == lower_is_better(metric) ? Change::better : Change::worse;
}

}  // namespace

std::optional<Uncertainty> of_repeats(const std::vector<double>& values, Score score) {
  const bool known = std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
  if (values.size() < 2 || !known) return std::nullopt;
  const std::size_t degrees = values.size() - 1;
  if (score == Score::max) {
    std::vector<double> logs;
    for (const double value : values) logs.push_back(std::log(value));
    return Uncertainty{deviation_of(logs), degrees};
  }
  const auto error = error_of([&values](native::Random& random) -> std::optional<double> {
    std::vector<double> drawn;
    for (std::size_t i = 0; i < values.size(); ++i) {
      drawn.push_back(values[static_cast<std::size_t>(random.below(values.size()))]);
    }
    return median_of(std::move(drawn));
  });
  const auto n = static_cast<double>(values.size());
  return Uncertainty{*error * std::sqrt(n / (n - 1)), degrees};
}

std::optional<Uncertainty> of_course(const std::vector<Sample>& samples, std::string_view metric,
                                     bool open_loop) {
  if (samples.size() < kFewestSlices) return std::nullopt;
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(samples.size())));
  const std::size_t blocks = std::max(kFewestBlocks, root);
  const auto within = error_within(Course(samples), blocks, metric, open_loop);
  if (!within) return std::nullopt;
  const double pieces = static_cast<double>(blocks) / kPieces;
  return Uncertainty{*within * std::sqrt(pieces), blocks - 1};
}

Ratio ratio_of(const ResultRecord& first, const ResultRecord& side, Op op,
               std::string_view metric) {
  const auto base = typical(first, op, metric);
  const auto other = typical(side, op, metric);
  Ratio result;
  const auto usable = [](const std::optional<MetricValue>& value) {
    return value && std::isfinite(value->value) && value->value > 0;
  };
  if (!usable(base) || !usable(other)) return result;
  const double ratio = other->value / base->value;
  if (!std::isnormal(ratio)) return result;
  result.ratio = ratio;
  const auto a = uncertainty(first, op, metric);
  const auto b = uncertainty(side, op, metric);
  if (!a || !b) return result;
  const auto interval = interval_of(*result.ratio, *a, *b);
  if (!interval) return result;
  result.low = interval->low;
  result.high = interval->high;
  result.change = change_of(*interval, metric);
  return result;
}

}  // namespace sthd::compare
