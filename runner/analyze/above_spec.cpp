#include <fmt/format.h>

#include "kit/table/expected.hpp"
#include "runner/analyze/expectations.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze::rules {

/// So much better than the maker says that something other than the device was measured.
std::vector<Finding> above_spec(const Report& report) {
  std::vector<Finding> findings;
  for (const Judgement& judgement : judgements_of(report)) {
    if (judgement.verdict != Expected::above) continue;
    const std::string& metric = judgement.range.metric;
    const Expectation& expectation = *table::expectation_of(report, judgement);
    Finding finding{
        .code = "above-spec",
        .severity = Severity::suspect,
        .job = judgement.job,
        .evidence = {{"expectation", expectation.id},
                     {"source", expectation.source},
                     {"times_better", times_better(judgement)}},
        .mark = "above spec",
        .text =
            fmt::format("{} {} is {:.1f} times better than the maker says ({}): likely a "
                        "cache, too short a test, or data that compresses.",
                        metric, table::metric_text(metric, judgement.value),
                        times_better(judgement), table::metric_text(metric, judgement.range.spec)),
        .remedy =
            "Measure more than any cache holds, and until the rate stays (--size 100GiB "
            "--runtime 10m), with data that does not compress (buffer = \"random\").",
    };
    if (judgement.op != Op::mixed) finding.op = judgement.op;
    findings.push_back(std::move(finding));
  }
  return findings;
}

Check above_spec_check() { return {"above-spec", {}}; }

}  // namespace sthd::analyze::rules
