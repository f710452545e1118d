#include "runner/analyze/effects.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze::rules {

/// What a condition, another sync mode, a larger block or more threads did, where the rows took
/// turns.
std::vector<Finding> measured_effect(const Report& report) {
  std::vector<Finding> findings;
  for (Effect& effect : effects(report)) {
    findings.push_back({.code = "measured-effect",
                        .severity = Severity::note,
                        .job = std::move(effect.job),
                        .evidence = std::move(effect.evidence),
                        .text = std::move(effect.text),
                        .remedy = std::move(effect.remedy)});
  }
  return findings;
}

Check measured_effect_check() { return {"measured-effect", {}, true}; }

}  // namespace sthd::analyze::rules
