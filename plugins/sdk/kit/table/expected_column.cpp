#include "kit/table/expected_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "sthd/text.hpp"

namespace sthd::table {
namespace {

/// Three digits at least, whole from 100 on: "0.123", "85.5", "342000", "1.845e+19".
std::string compact(double value) {
  constexpr double kMost = 1e9;
  if (!std::isfinite(value)) return "unknown";
  if (std::abs(value) >= kMost) return fmt::format("{:.3e}", value);
  return std::abs(value) >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

/// How a metric is written here: base units in one of its own, and what stands behind it.
struct Unit {
  double size = 1;
  std::string text;
};

Unit unit_of(const std::string& metric) {
  if (metric == "iops") return {1, "IOPS"};
  if (metric == "bw") return {1e6, "MB/s"};
  if (metric == "bytes") return {1, "B"};
  if (metric == "seconds") return {1, "s"};
  if (metric == "submit_share") return {1, "% submit_share"};
  if (metric.find('.') == std::string::npos) return {1, metric};
  constexpr std::string_view kWhole = "lat.";
  return {1e3, "us " + (metric.starts_with(kWhole) ? metric.substr(kWhole.size()) : metric)};
}

std::string limits_text(const ExpectedRange& range, double size) {
  if (range.spec) return compact(*range.spec / size);
  if (range.low && range.high) {
    return fmt::format("{}-{}", compact(*range.low / size), compact(*range.high / size));
  }
  if (range.low) return "≥" + compact(*range.low / size);
  return range.high ? "≤" + compact(*range.high / size) : "";
}

std::string figure_text(const ExpectedRange& range, std::string_view value) {
  const Unit unit = unit_of(range.metric);
  return display(fmt::format("{} ({}) {}", value, limits_text(range, unit.size), unit.text));
}

/// With a figure one digit longer than the largest that is expected.
std::size_t width_of(const ExpectedRange& range) {
  constexpr std::size_t kLeast = 6;
  std::size_t longest = kLeast;
  for (const std::optional<double>& end : {range.low, range.high, range.spec}) {
    if (end) longest = std::max(longest, compact(*end / unit_of(range.metric).size).size() + 1);
  }
  return display_width(figure_text(range, "")) + longest;
}

bool is_about(const Expectation& expectation, const std::string& job) {
  const auto& jobs = expectation.jobs;
  return std::find(jobs.begin(), jobs.end(), job) != jobs.end();
}

/// What is expected of a job, as far as it is about this machine.
std::vector<const ExpectedRange*> ranges_of(const Report& report, const std::string& job) {
  std::vector<const ExpectedRange*> ranges;
  for (const Expectation& each : report.expectations) {
    if (!is_about(each, job) || applies(each, report.facts) != true) continue;
    for (const ExpectedRange& range : each.ranges) ranges.push_back(&range);
  }
  return ranges;
}

/// Those jobs of a label of which something is expected.
std::vector<const Job*> jobs_of(const Report& report, std::string_view label) {
  std::vector<const Job*> jobs;
  for (const Job& job : report.plan.jobs) {
    if (job.label == label && !ranges_of(report, job.id).empty()) jobs.push_back(&job);
  }
  return jobs;
}

std::vector<const Judgement*> judgements_of(const Report& report, const std::string& job) {
  std::vector<const Judgement*> found;
  for (const Judgement& judgement : report.judgements) {
    if (judgement.job != job) continue;
    const auto is_it = [&](const Expectation& each) { return each.id == judgement.expectation; };
    const auto expectation =
        std::find_if(report.expectations.begin(), report.expectations.end(), is_it);
    const bool ours =
        expectation != report.expectations.end() && applies(*expectation, report.facts) == true;
    if (ours) found.push_back(&judgement);
  }
  return found;
}

bool is_finished(const Report& report, const std::string& job) {
  return std::any_of(report.records.begin(), report.records.end(),
                     [&job](const ResultRecord& record) { return record.job.id == job; });
}

bool fails(const Judgement* judgement) {
  return judgement->verdict == Expected::missed || judgement->verdict == Expected::above;
}

/// A maker's figure is always shown beside what was measured.
bool shows_spec(const Judgement* judgement) {
  return judgement->range.spec && judgement->value && judgement->verdict != Expected::unknown;
}

std::string text_of(const Report& report, const std::string& job) {
  const std::vector<const Judgement*> all = judgements_of(report, job);
  if (all.empty() || !is_finished(report, job)) return {};
  const auto failed = std::count_if(all.begin(), all.end(), fails);
  const auto shown = failed > 0 ? std::find_if(all.begin(), all.end(), fails)
                                : std::find_if(all.begin(), all.end(), shows_spec);
  if (shown != all.end() && (*shown)->value) {
    const ExpectedRange& range = (*shown)->range;
    const std::string value = compact(*(*shown)->value / unit_of(range.metric).size);
    return figure_text(range, value) + (failed > 1 ? fmt::format(" +{}", failed - 1) : "");
  }
  const bool known = std::none_of(all.begin(), all.end(), [](const Judgement* each) {
    return each->verdict == Expected::unknown;
  });
  return known ? "ok" : "unknown";
}

std::size_t width_of(const Report& report, const std::string& job) {
  constexpr std::size_t kMore = 3;  // " +9"
  const std::vector<const ExpectedRange*> ranges = ranges_of(report, job);
  std::size_t width = 0;
  for (const ExpectedRange* range : ranges) width = std::max(width, width_of(*range));
  return ranges.size() > 1 ? width + kMore : width;
}

}  // namespace

std::size_t expected_width(const Report& report) {
  std::size_t widest = 0;
  for (const Job& one : report.plan.jobs) {
    const std::vector<const Job*> jobs = jobs_of(report, one.label);
    std::size_t width = 0;
    for (const Job* job : jobs) {
      width += width_of(report, job->id);
      if (jobs.size() > 1) width += to_text(job->workload.op).size() + 3;  // "read …, "
    }
    widest = std::max(widest, width);
  }
  return widest;
}

Cell expected_cell(const Report& report, std::string_view label) {
  const std::vector<const Job*> jobs = jobs_of(report, label);
  Cell cell;
  for (const Job* job : jobs) {
    std::string text = text_of(report, job->id);
    if (text.empty()) continue;
    if (jobs.size() > 1) text = fmt::format("{} {}", to_text(job->workload.op), text);
    cell.text += (cell.text.empty() ? "" : ", ") + text;
  }
  return cell;
}

}  // namespace sthd::table
