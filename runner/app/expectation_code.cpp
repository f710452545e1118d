#include "runner/app/expectation_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kit/table/expected.hpp"
#include "runner/app/commands.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

/// "4K sync T1 write"
std::string row_of(const Report& report, const Judgement& judgement) {
  const auto& jobs = report.plan.jobs;
  const auto found = std::find_if(jobs.begin(), jobs.end(),
                                  [&](const Job& job) { return job.id == judgement.job; });
  const std::string& name = found == jobs.end() ? judgement.job : found->label;
  return fmt::format("{} {}", name, to_text(judgement.op));
}

std::string missed_text(const Report& report, const Expectation& expectation,
                        const Judgement& judgement) {
  const std::string& metric = judgement.range.metric;
  return display(fmt::format("the {} expectation \"{}\" was missed: {}: {} {}, expected {}",
                             to_text(expectation.kind), expectation.id, row_of(report, judgement),
                             metric, table::metric_text(metric, judgement.value),
                             table::range_text(judgement.range)));
}

}  // namespace

int expectation_code(const Report& report, bool strict, Terminal& terminal) {
  bool missed = false;
  bool open = false;
  for (const Judgement& judgement : report.judgements) {
    const Expectation* expectation = table::expectation_of(report, judgement);
    if (expectation == nullptr) continue;
    const bool required = expectation->kind == ExpectKind::require;
    if (judgement.verdict == Expected::missed && (required || strict)) {
      terminal.error(missed_text(report, *expectation, judgement));
      missed = true;
    }
    const bool unjudged = required && judgement.verdict == Expected::unknown;
    if (unjudged && applies(*expectation, report.facts) == true) {
      terminal.error(
          display(fmt::format("the requirement \"{}\" could not be judged: {}: {}", expectation->id,
                              row_of(report, judgement), judgement.reason)));
      open = true;
    }
  }
  if (open) return kJobFailed;
  return missed ? kExpectationMissed : kMeasured;
}

}  // namespace sthd::app
