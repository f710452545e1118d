#include "runner/analyze/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sthd/metrics.hpp"

namespace sthd::analyze {
namespace {

/// A maker leaves some room, and a better system gains some. A data sheet's sequential write of
/// 1520 MB/s was measured at 1583 MB/s, and nothing was wrong; its 40000 random writes a second at
/// 278000, from a cache.
constexpr double kTooGood = 1.25;

const ResultRecord* record_of(const Report& report, const std::string& job) {
  const auto found = std::find_if(report.records.begin(), report.records.end(),
                                  [&](const ResultRecord& each) { return each.job.id == job; });
  return found == report.records.end() ? nullptr : &*found;
}

const Job* job_of(const Report& report, const std::string& id) {
  const auto& jobs = report.plan.jobs;
  const auto found =
      std::find_if(jobs.begin(), jobs.end(), [&](const Job& each) { return each.id == id; });
  return found == jobs.end() ? nullptr : &*found;
}

Expected verdict_of(const Judgement& judgement) {
  const ExpectedRange& range = judgement.range;
  const double value = *judgement.value;
  const double better = range.spec ? times_better(judgement) : 1;
  if (better > kTooGood && std::isfinite(better)) return Expected::above;
  const bool inside = (!range.low || value >= *range.low) && (!range.high || value <= *range.high);
  return inside ? Expected::met : Expected::missed;
}

/// Why a row has no figure of this metric; empty where it has one, which then is `value`.
std::string read_value(const ResultRecord* record, Judgement& judgement) {
  if (record == nullptr) return "the row has not been run";
  if (record->status != Status::ok) {
    return fmt::format("{}{}{}", to_text(record->status), record->reason ? ": " : "",
                       record->reason.value_or(""));
  }
  const auto found = typical(*record, judgement.op, judgement.range.metric);
  if (!found || !std::isfinite(found->value)) {
    return fmt::format("the row has no {}", judgement.range.metric);
  }
  judgement.value = found->value;
  return {};
}

Judgement judge(const Report& report, const Expectation& expectation, const Job& job,
                const ExpectedRange& range) {
  Judgement judgement;
  judgement.expectation = expectation.id;
  judgement.job = job.id;
  judgement.op = job.workload.op;
  judgement.range = range;
  judgement.reason = read_value(record_of(report, job.id), judgement);
  if (const FactPattern* pattern = untold(expectation, report.facts)) {
    judgement.reason =
        fmt::format("it is not known whether {} is {}", pattern->name, pattern->glob);
  }
  if (judgement.reason.empty()) judgement.verdict = verdict_of(judgement);
  return judgement;
}

}  // namespace

std::vector<Judgement> judgements_of(const Report& report) {
  std::vector<Judgement> judgements;
  for (const Expectation& expectation : report.expectations) {
    if (applies(expectation, report.facts) == false) continue;
    for (const std::string& id : expectation.jobs) {
      const Job* job = job_of(report, id);
      if (job == nullptr) continue;
      for (const ExpectedRange& range : expectation.ranges) {
        judgements.push_back(judge(report, expectation, *job, range));
      }
    }
  }
  return judgements;
}

double times_better(const Judgement& judgement) {
  const double value = *judgement.value;
  const double spec = *judgement.range.spec;
  return lower_is_better(judgement.range.metric) ? spec / value : value / spec;
}

}  // namespace sthd::analyze
