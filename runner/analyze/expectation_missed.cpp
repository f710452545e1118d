#include <fmt/format.h>

#include "kit/table/expected.hpp"
#include "runner/analyze/expectations.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

/// "lat.p50_ns" of ("lat.p50", ""), "iops_low" of ("iops", "_low").
std::string evidence_name(const std::string& metric, std::string_view end) {
  std::string_view unit;
  if (metric == "bw") unit = "_bytes_per_s";
  if (metric.find('.') != std::string::npos) unit = "_ns";
  if (metric == "submit_share") unit = "_percent";
  return fmt::format("{}{}{}", metric, end, unit);
}

void add_evidence(const Judgement& judgement, Finding& finding) {
  const ExpectedRange& range = judgement.range;
  const auto add = [&](std::string_view end, const std::optional<double>& value) {
    if (value) finding.evidence.push_back({evidence_name(range.metric, end), *value});
  };
  add("", judgement.value);
  add("_low", range.low);
  add("_high", range.high);
  add("_spec", range.spec);
}

std::string figure_text(const Judgement& judgement) {
  return fmt::format("{} {}, not {}", judgement.range.metric,
                     table::metric_text(judgement.range.metric, judgement.value),
                     table::range_text(judgement.range));
}

Finding started(const Expectation& expectation, const Judgement& judgement) {
  Finding finding{.code = "expectation-missed",
                  .severity = Severity::note,
                  .job = judgement.job,
                  .evidence = {{"expectation", expectation.id},
                               {"kind", std::string(to_text(expectation.kind))}},
                  .remedy = expectation.remedy};
  if (judgement.op != Op::mixed) finding.op = judgement.op;
  if (!expectation.source.empty()) finding.evidence.push_back({"source", expectation.source});
  return finding;
}

}  // namespace

namespace rules {

/// Figures outside of what the profile expects: one finding for each expectation and row.
std::vector<Finding> expectation_missed(const Report& report) {
  std::vector<Finding> findings;
  const Expectation* last = nullptr;
  for (const Judgement& judgement : judgements_of(report)) {
    if (judgement.verdict != Expected::missed) continue;
    const Expectation& expectation = *table::expectation_of(report, judgement);
    const bool more =
        last == &expectation && !findings.empty() && findings.back().job == judgement.job;
    if (!more) findings.push_back(started(expectation, judgement));
    last = &expectation;
    Finding& finding = findings.back();
    finding.text += (more ? "; " : fmt::format("Not as \"{}\" expects: ", expectation.id)) +
                    figure_text(judgement);
    add_evidence(judgement, finding);
  }
  for (Finding& finding : findings) finding.text += '.';
  return findings;
}

Check expectation_missed_check() { return {"expectation-missed", {}}; }

}  // namespace rules

}  // namespace sthd::analyze
