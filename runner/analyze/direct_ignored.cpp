#include <fmt/format.h>

#include "runner/analyze/direct_asked.hpp"
#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kServed = 0.5;  // of direct reads: less on the device, and a cache served them

/// Where nothing tells beforehand whether O_DIRECT is real, the devices do afterwards.
std::optional<double> cached_share(const Report& report, const ResultRecord& record) {
  const bool unknown = !record.resolution.direct_effective;
  if (!unknown || record.job.workload.direct == DirectMode::off || may_vanish(report, record)) {
    return std::nullopt;
  }
  const auto share = device_share(record, Op::read);
  return share && *share < kServed ? std::optional(1 - *share) : std::nullopt;
}

}  // namespace

namespace rules {

/// O_DIRECT was accepted and the I/O was buffered all the same.
std::vector<Finding> direct_ignored(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const std::string& reason = record.resolution.direct_reason;
    const auto share = cached_share(report, record);
    const bool known = lost_direct(record) && !was_refused(reason);
    if (!known && !share) return std::nullopt;
    Finding finding{
        .code = "direct-ignored",
        .severity = Severity::note,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"direct_reason", reason}},
        .text =
            fmt::format("O_DIRECT would mean nothing here, so the row was buffered: {}.", reason),
        .remedy =
            "Read the row as one through RAM; for the device's figure test a filesystem that "
            "has direct I/O.",
    };
    if (share) {
      finding.severity = Severity::suspect;
      finding.evidence.push_back({"device_read_bytes", *device_bytes(record, Op::read)});
      finding.mark = "O_DIRECT ignored";
      finding.text = fmt::format(
          "O_DIRECT was accepted and ignored: {:.0f} % of the direct reads never reached the "
          "device.",
          *share * 100);
    }
    return finding;
  });
}

Check direct_ignored_check() { return {"direct-ignored", {Need::direct}}; }

}  // namespace rules

}  // namespace sthd::analyze
