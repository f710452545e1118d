#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

// RAM of SSDs and RAID controllers, and the part of the mapping table that a drive without RAM
// keeps at hand, are of this order; a file that exceeds it makes the drive look its blocks up.
constexpr std::uint64_t kTiny = 256 * kMiB;

}  // namespace

namespace rules {

/// Direct reads of so few blocks that the drive's own cache may have served them.
std::vector<Finding> working_set_tiny(const Report& report) {
  return each_measured(report, [](const ResultRecord& record) -> std::optional<Finding> {
    const Workload& workload = record.job.workload;
    if (!reads(record) || workload.size == 0 || workload.size >= kTiny) return std::nullopt;
    if (record.resolution.direct_effective != true) return std::nullopt;
    const auto bytes = job_bytes(record, Op::read);
    if (!bytes || *bytes <= static_cast<double>(workload.size)) return std::nullopt;
    const double rounds = *bytes / static_cast<double>(workload.size);
    return Finding{
        .code = "working-set-tiny",
        .severity = Severity::note,
        .job = record.job.id,
        .op = Op::read,
        .evidence = {{"file_bytes", static_cast<double>(workload.size)}, {"read_bytes", *bytes}},
        .text = fmt::format(
            "The file of {} was read {:.1f} times: the drive's or controller's own cache may have "
            "served it.",
            human_size(workload.size), rounds),
        .remedy = "Use a larger file: --size 1GiB or more.",
    };
  });
}

Check working_set_tiny_check() { return {"working-set-tiny", {Need::direct}}; }

}  // namespace rules

}  // namespace sthd::analyze
