#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kElsewhere = 0.1;  // of the bytes that storage served, at most, on these disks
constexpr double kServed = 0.9;     // of the job's bytes, at least, served by storage

std::string names(const Report& report) {
  std::string out;
  for (std::size_t i = 0; i < disks_of(report); ++i) {
    out += (i == 0 ? "" : ", ") + std::string(word(report, disk_key(i, "name")));
  }
  return out;
}

}  // namespace

namespace rules {

/// The kernel says that storage served the reads, and the disks that were looked at did not.
std::vector<Finding> target_mismatch(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    if (!reads(record) || may_vanish(report, record)) return std::nullopt;
    const auto job = job_bytes(record, Op::read);
    const auto storage = storage_read_bytes(report, record);
    const auto disks = device_bytes(record, Op::read);
    if (!job || !storage || !disks || *job < kFewBytes) return std::nullopt;
    if (*storage < kServed * *job || *disks > kElsewhere * *storage) return std::nullopt;
    return Finding{
        .code = "target-mismatch",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = Op::read,
        .evidence = {{"storage_read_bytes", *storage}, {"device_read_bytes", *disks}},
        .mark = "other disk",
        .text = fmt::format("The reads were served by storage, but not by {}: the disks below the "
                            "target are others.",
                            names(report).empty() ? "the disks looked at" : names(report)),
        .remedy =
            "Look at the chain that `speedtest-hd probe TARGET` shows; what it says of disks "
            "does not hold for this row.",
    };
  });
}

Check target_mismatch_check() {
  return {"target-mismatch", {Need::storage_bytes, Need::disk_bytes}};
}

}  // namespace rules

}  // namespace sthd::analyze
