#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze::rules {

/// A later choice ran in place of the first one.
std::vector<Finding> engine_fell_back(const Report& report) {
  return each_measured(report, [](const ResultRecord& record) -> std::optional<Finding> {
    const Resolution& how = record.resolution;
    const auto& asked = record.job.workload.engines;
    if (asked.size() < 2 || how.engine.empty() || how.engine == asked.front()) return std::nullopt;
    if (how.tried.empty()) return std::nullopt;
    const Attempt& first = how.tried.front();
    return Finding{
        .code = "engine-fell-back",
        .severity = Severity::note,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"asked", asked.front()}, {"ran", how.engine}, {"refused", first.refused}},
        .text = fmt::format("{} ran in place of {}: {}.", how.engine, asked.front(),
                            display(first.refused)),
        .remedy = fmt::format("Figures of different engines do not compare; name one to be sure: "
                              "--engine {}.",
                              how.engine),
    };
  });
}

Check engine_fell_back_check() { return {"engine-fell-back", {}}; }

}  // namespace sthd::analyze::rules
