#include "runner/compare/limit.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "sthd/text.hpp"

namespace sthd::compare {
namespace {

Error fault(std::string_view text, std::string_view why) {
  return {
      ErrorCode::refused,
      fmt::format("--fail-if \"{}\": {}; it takes JOBID [read|write] METRIC > +N%, or < -N%, as "
                  "in 'sync4k/threads=1 lat.p99 > +10%'",
                  display(text), display(why)),
      0};
}

/// "+10%", "-5 %".
std::optional<double> percent_of(std::string_view text) {
  text = trimmed(text);
  if (!text.ends_with('%')) return std::nullopt;
  text = trimmed(text.substr(0, text.size() - 1));
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

double percent(double ratio) { return (ratio - 1) * 100; }

/// "4K sync T1 write lat.p99 in after: +14.2 % (+11.0 to +17.9 %) against before".
std::string measured_text(const Figure& figure, const Ratio& ratio, const std::string& first,
                          const std::string& side) {
  std::string text =
      fmt::format("{} {} {} in {}", figure.label, to_text(figure.op), figure.column.metric, side);
  if (!ratio.ratio) return text;
  text += fmt::format(": {:+.1f} %", percent(*ratio.ratio));
  if (ratio.low && ratio.high) {
    text += fmt::format(" ({:+.1f} to {:+.1f} %)", percent(*ratio.low), percent(*ratio.high));
  }
  return text + " against " + first;
}

LimitVerdict verdict_of(const Limit& limit, const Ratio& ratio) {
  if (!ratio.ratio) return LimitVerdict::unknown;
  if (!ratio.low || !ratio.high) return LimitVerdict::inconclusive;
  const double low = percent(*ratio.low);
  const double high = percent(*ratio.high);
  if (limit.above ? low > limit.percent : high < limit.percent) return LimitVerdict::exceeded;
  if (limit.above ? high <= limit.percent : low >= limit.percent) return LimitVerdict::kept;
  return LimitVerdict::inconclusive;
}

std::string why(LimitVerdict verdict, const Ratio& ratio, const std::string& edge) {
  switch (verdict) {
    case LimitVerdict::unknown:
      return "is not known on both sides, or not compared";
    case LimitVerdict::kept:
      return fmt::format("; all of the interval keeps within {}", edge);
    case LimitVerdict::exceeded:
      return fmt::format("; all of the interval is beyond {}", edge);
    case LimitVerdict::inconclusive:
      break;
  }
  if (!ratio.low) return "; inconclusive: too few repeats or samples for an interval";
  return fmt::format("; inconclusive: the interval holds {}, so more repeats are needed", edge);
}

LimitResult result_of(const Limit& limit, const Figure& figure, std::size_t side,
                      const Input& input) {
  const Ratio ratio = figure.ratio(side);
  const LimitVerdict verdict = verdict_of(limit, ratio);
  const std::string edge = fmt::format("{:+g} %", limit.percent);
  const std::string measured =
      measured_text(figure, ratio, input.labels.front(), input.labels[side]);
  const std::string_view space = verdict == LimitVerdict::unknown ? " " : "";
  return {limit.text, verdict, fmt::format("{}{}{}.", measured, space, why(verdict, ratio, edge))};
}

}  // namespace

Outcome<Limit> parse_limit(std::string_view text) {
  const std::size_t sign = text.find_last_of("<>");
  if (sign == std::string_view::npos) return fault(text, "it has neither > nor <");
  auto figure = parse_figure(text.substr(0, sign));
  if (!figure) return fault(text, figure.error().message);
  const auto value = percent_of(text.substr(sign + 1));
  if (!value) {
    return fault(text, fmt::format("\"{}\" is no percentage", trimmed(text.substr(sign + 1))));
  }
  return Limit{std::string(trimmed(text)), std::move(*figure), text[sign] == '>', *value};
}

Outcome<std::vector<LimitResult>> judge(const Input& input, const std::vector<Limit>& limits) {
  const Matches matches = match_rows(input);
  std::vector<LimitResult> results;
  for (const Limit& limit : limits) {
    const auto figure = find_figure(input, matches, limit.figure);
    if (!figure) {
      return Error{
          ErrorCode::refused,
          fmt::format("--fail-if \"{}\": {}", display(limit.text), display(figure.error().message)),
          0};
    }
    for (std::size_t side = 1; side < input.reports.size(); ++side) {
      results.push_back(result_of(limit, *figure, side, input));
    }
  }
  return results;
}

}  // namespace sthd::compare
