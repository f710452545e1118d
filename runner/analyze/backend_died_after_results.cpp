#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze::rules {

/// The backend had results and came to a bad end: what it had not said cannot be known.
std::vector<Finding> backend_died_after_results(const Report& report) {
  Findings findings;
  for (const ResultRecord& record : report.records) {
    if (record.status != Status::failed || !record.reason) continue;
    const bool died = record.reason->find("ended by signal") != std::string::npos ||
                      record.reason->find("ended with exit") != std::string::npos;
    // A backend that gave nothing back may still have said that it had something.
    const bool said = record.reason->find("after it had printed its results") != std::string::npos;
    const auto result = merged(record, record.job.workload.op);
    const double bytes = result ? static_cast<double>(result->bytes) : 0;
    if (!died || (!said && bytes == 0)) continue;
    std::vector<Evidence> evidence{{"reason", *record.reason}};
    if (bytes > 0) evidence.push_back({"bytes", bytes});
    findings.push_back({
        .code = "backend-died-after-results",
        .severity = Severity::invalidates,
        .job = record.job.id,
        .op = direction(record),
        .evidence = std::move(evidence),
        .text = fmt::format("{} died after it had printed results, so these are not to be trusted: "
                            "{}.",
                            record.resolution.backend, display(*record.reason)),
        .remedy = "Run the row again; if it dies again, use a built-in engine.",
    });
  }
  return findings;
}

Check backend_died_after_results_check() { return {"backend-died-after-results", {}}; }

}  // namespace sthd::analyze::rules
