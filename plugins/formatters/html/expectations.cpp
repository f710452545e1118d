#include <fmt/format.h>

#include <algorithm>

#include "kit/table/expected.hpp"
#include "markup.hpp"
#include "sections.hpp"

namespace sthd::html {
namespace {

std::string row_of(const Report& report, const Judgement& judgement) {
  const auto& jobs = report.plan.jobs;
  const auto found = std::find_if(jobs.begin(), jobs.end(),
                                  [&judgement](const Job& job) { return job.id == judgement.job; });
  const std::string& name = found == jobs.end() ? judgement.job : found->label;
  return fmt::format("{} {}", name, to_text(judgement.op));
}

/// What it means: the remedy where it was missed, the reason where it was not judged.
std::string remark(const Judgement& judgement, const Expectation* expectation) {
  if (judgement.verdict == Expected::unknown) return judgement.reason;
  return judgement.verdict == Expected::missed && expectation != nullptr ? expectation->remedy : "";
}

}  // namespace

std::string expectations_section(const Report& report) {
  if (report.judgements.empty()) return {};
  TableText table(
      "The figures and what was expected of them",
      {"Row", "Metric", "Expected", "Measured", "Verdict", "Expectation", "Source", "Remark"},
      Align::texts);
  for (const Judgement& judgement : report.judgements) {
    const Expectation* expectation = table::expectation_of(report, judgement);
    const std::string kind =
        expectation == nullptr ? "" : fmt::format(" ({})", to_text(expectation->kind));
    table.row(row_of(report, judgement),
              {judgement.range.metric, table::range_text(judgement.range),
               table::metric_text(judgement.range.metric, judgement.value),
               std::string(to_text(judgement.verdict)), judgement.expectation + kind,
               expectation == nullptr ? "" : expectation->source, remark(judgement, expectation)});
  }
  return section("Expectations", table.text());
}

}  // namespace sthd::html
