#include <fmt/format.h>

#include "runner/analyze/direct_asked.hpp"
#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze::rules {

/// The target cannot do direct I/O at all, or not with these blocks.
std::vector<Finding> direct_refused(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const std::string& reason = record.resolution.direct_reason;
    if (!lost_direct(record) || !was_refused(reason)) return std::nullopt;
    const bool blocks = reason.find("no multiple") != reason.npos;
    return Finding{
        .code = "direct-refused",
        .severity = Severity::note,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"direct_reason", reason}},
        .text = fmt::format("O_DIRECT was refused, so the row was buffered: {}.", reason),
        .remedy = blocks ? "Use a block size that is a multiple of the alignment: --set "
                           "block_size=4KiB."
                         : "Read the row as one through RAM; for the device's figure test a "
                           "filesystem that has direct I/O.",
    };
  });
}

Check direct_refused_check() { return {"direct-refused", {Need::direct}}; }

}  // namespace sthd::analyze::rules
