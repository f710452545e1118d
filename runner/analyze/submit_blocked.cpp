#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

// Of the threads' time in submission calls. An engine that only hands I/O over needs a small part
// of it; where nearly all of it goes there, the kernel did the I/O before the call returned.
constexpr double kBlocked = 80;

bool buffered_libaio(const ResultRecord& record) {
  return record.resolution.engine == "libaio" && record.resolution.direct_effective == false;
}

}  // namespace

namespace rules {

/// An asynchronous engine waited in its submission calls.
std::vector<Finding> submit_blocked(const Report& report) {
  return each_measured(report, [](const ResultRecord& record) -> std::optional<Finding> {
    const Op op = record.job.workload.op;
    if (record.job.workload.queue_depth < 2 || !served_in_submission(record, op)) {
      return std::nullopt;
    }
    const auto share = metric(record, op, "submit_share");
    const auto slat = metric(record, op, "slat.mean");
    if (!share || !slat) return std::nullopt;
    if (!buffered_libaio(record) && share->value < kBlocked) return std::nullopt;
    return Finding{
        .code = "submit-blocked",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"submit_share_percent", share->value}, {"mean_submission_ns", slat->value}},
        .mark = "blocked in submission",
        .text = fmt::format(
            "{} served the I/O before its submission call returned ({:.0f} % of the time was spent "
            "there), so the queue existed in name only.",
            record.resolution.engine, share->value),
        .remedy =
            "Use O_DIRECT on a filesystem that has it, a file that is already laid out, or "
            "--engine psync, which serves the depth with threads.",
    };
  });
}

Check submit_blocked_check() { return {"submit-blocked", {Need::submission}}; }

}  // namespace rules

}  // namespace sthd::analyze
