#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

constexpr double kRoom = 4;  // times the test file: less is used up by one copy-on-write or two

}  // namespace

namespace rules {

/// A quota leaves little more than the test file.
std::vector<Finding> near_quota(const Report& report) {
  const auto left = number(report, "target.quota_left_bytes");
  std::uint64_t largest = 0;
  for (const ResultRecord& record : report.records) {
    largest = std::max(largest, record.job.workload.size);
  }
  if (!left || largest == 0 || *left >= kRoom * static_cast<double>(largest)) return {};
  const std::string_view what = word(report, "target.quota");
  return {Finding{
      .code = "near-quota",
      .severity = Severity::suspect,
      .evidence = {{"quota_left_bytes", *left}, {"file_bytes", static_cast<double>(largest)}},
      .text = fmt::format("The quota{} left {} before a test file of {}: close to it, writes are "
                          "slower or refused.",
                          what.empty() ? "" : fmt::format(" ({})", display(what)),
                          human_size(static_cast<std::uint64_t>(*left)), human_size(largest)),
      .remedy = "Raise the quota, free space below it, or use a smaller --size.",
  }};
}

Check near_quota_check() { return {"near-quota", {Need::quotas}}; }

}  // namespace rules

}  // namespace sthd::analyze
