#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "runner/compare/stages.hpp"
#include "sthd/metrics.hpp"

namespace sthd::compare {
namespace {

/// "3.5x"; two decimals where one would hide what is there.
std::string times(double factor) {
  constexpr double kTwice = 1.95;
  constexpr double kMany = 99.5;
  return fmt::format("{:.{}f}x", factor, factor < kTwice ? 2 : factor < kMany ? 1 : 0);
}

/// "p50 latency" of "lat.p50", "p99 sync latency" of "sync.p99".
std::string latency_name(std::string_view metric) {
  const std::size_t dot = metric.find('.');
  const std::string_view histogram = metric.substr(0, dot);
  const std::string_view figure = metric.substr(dot + 1);
  return fmt::format("{}{} latency", figure,
                     histogram == "lat" ? "" : fmt::format(" {}", histogram));
}

std::string metric_name(std::string_view metric) {
  if (metric == "iops") return "IOPS";
  if (metric == "bw") return "throughput";
  if (metric == "seconds") return "time";
  if (metric == "depth") return "queue depth";
  if (metric.find('.') != std::string_view::npos) return latency_name(metric);
  return std::string(metric);
}

/// What became of one figure between the first and the last side.
struct Gain {
  const Figure* figure = nullptr;
  Ratio ratio;
  bool name_op = false;  ///< there are figures of both directions

  [[nodiscard]] bool nothing_shown() const { return ratio.change == Change::none_shown; }
  [[nodiscard]] bool lower_wanted() const { return lower_is_better(figure->column.metric); }
  [[nodiscard]] bool worse() const {
    return !nothing_shown() && *ratio.ratio != 1 && (*ratio.ratio < 1) != lower_wanted();
  }
  [[nodiscard]] bool gained() const {
    return !nothing_shown() && *ratio.ratio != 1 && (*ratio.ratio < 1) == lower_wanted();
  }
  [[nodiscard]] std::string text() const {
    const std::string name = fmt::format("{}{}{}", name_op ? to_text(figure->op) : "",
                                         name_op ? " " : "", metric_name(figure->column.metric));
    if (nothing_shown()) return "no difference shown in " + name;
    if (!lower_wanted()) return fmt::format("{} {}", times(*ratio.ratio), name);
    const bool lower = *ratio.ratio < 1;
    const bool time = figure->column.metric == "seconds";
    const std::string_view than = lower ? (time ? "less" : "lower") : (time ? "more" : "higher");
    return fmt::format("{} {} {}", times(lower ? 1 / *ratio.ratio : *ratio.ratio), than, name);
  }
};

/// Blocks of one size make IOPS and throughput the same news, and time where as much was done; how
/// much was done is none.
bool is_news(const std::vector<Gain>& gains, const Figure& figure) {
  const std::string& metric = figure.column.metric;
  if (metric == "bytes") return false;
  if (metric != "bw" && metric != "seconds") return true;
  return std::none_of(gains.begin(), gains.end(), [&](const Gain& gain) {
    const std::string& other = gain.figure->column.metric;
    return gain.figure->job == figure.job && gain.figure->op == figure.op &&
           (other == "iops" || (other == "bw" && metric == "seconds"));
  });
}

std::vector<Gain> gains_of(const std::vector<Figure>& figures) {
  std::vector<Gain> gains;
  const bool ops = std::any_of(figures.begin(), figures.end(), [&figures](const Figure& each) {
    return each.op != figures.front().op;
  });
  for (const Figure& figure : figures) {
    const std::size_t last = figure.sides.size() - 1;
    Gain gain{&figure, last > 0 ? figure.ratio(last) : Ratio{}, ops};
    if (gain.ratio.ratio) gains.push_back(std::move(gain));
  }
  const std::vector<Gain> all = gains;
  std::erase_if(gains, [&all](const Gain& gain) { return !is_news(all, *gain.figure); });
  return gains;
}

/// The gains of one row: "3.5x IOPS and 3.8x lower p50 latency at 4K sync T1".
std::string row_text(const std::vector<Gain>& gains, const std::string& label) {
  std::vector<std::string> texts;
  for (const Gain& gain : gains) texts.push_back(gain.text());
  const std::string last = texts.back();
  texts.pop_back();
  const std::string before = fmt::format("{}", fmt::join(texts, ", "));
  return fmt::format("{}{}{} at {}", before, before.empty() ? "" : " and ", last, label);
}

}  // namespace

std::string net_sentence(const std::vector<Figure>& figures) {
  const std::vector<Gain> gains = gains_of(figures);
  if (gains.empty()) return {};
  std::vector<std::string> rows;
  for (std::size_t begin = 0; begin < gains.size();) {
    std::size_t end = begin + 1;
    while (end < gains.size() && gains[end].figure->label == gains[begin].figure->label) ++end;
    rows.push_back(row_text({gains.begin() + static_cast<std::ptrdiff_t>(begin),
                             gains.begin() + static_cast<std::ptrdiff_t>(end)},
                            gains[begin].figure->label));
    begin = end;
  }
  const bool improved =
      std::none_of(gains.begin(), gains.end(), [](const Gain& gain) { return gain.worse(); }) &&
      std::any_of(gains.begin(), gains.end(), [](const Gain& gain) { return gain.gained(); });
  return fmt::format("{}: {}.", improved ? "Net improvement" : "Net change", fmt::join(rows, ", "));
}

}  // namespace sthd::compare
