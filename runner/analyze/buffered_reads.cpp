#include <fmt/format.h>

#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

std::string text(const ResultRecord& record) {
  if (!record.resolution.direct_effective) {
    return "Whether O_DIRECT went past the cache is not known: some of these reads may have come "
           "from RAM.";
  }
  switch (record.job.workload.cache) {
    case CacheMode::warm:
      return "The reads were buffered and the file had been read before: they may have come from "
             "RAM.";
    case CacheMode::cold:
      return "The reads were buffered: the cache was emptied first, but what was read twice may "
             "have come from RAM.";
    case CacheMode::as_is:
      break;
  }
  return "The reads were buffered: some or all may have come from RAM.";
}

std::string remedy(const Report& report, const ResultRecord& record) {
  const Workload& workload = record.job.workload;
  const bool could = workload.direct == DirectMode::off;
  const std::string& why = record.resolution.direct_reason;
  const std::string cannot = why.empty() ? std::string("O_DIRECT is not known to work here")
                                         : fmt::format("O_DIRECT does not help here ({})", why);
  const auto memory = report.environment.memory_bytes;
  if (memory && workload.size > *memory) {
    const double share = 100.0 * static_cast<double>(*memory) / static_cast<double>(workload.size);
    return fmt::format("{}; the file is larger than RAM already, and at most {:.0f} % of it fits.",
                       could ? "Use --direct" : cannot, share);
  }
  std::string out = could ? "Use --direct, or" : cannot + ": use";
  out += " a file larger than RAM";
  if (!memory) return out + ".";
  return fmt::format("{}: --size {}GiB.", out, *memory / kGiB * 2 + 2);  // twice, rounded up
}

}  // namespace

namespace rules {

/// Reads went through the cache, and no counter says how many reached the device.
std::vector<Finding> buffered_reads(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    if (record.resolution.direct_effective == true) return std::nullopt;
    const auto read = merged(record, Op::read);
    if (!read || read->bytes == 0) return std::nullopt;
    Finding finding{
        .code = "cached-reads-possible",
        .severity = Severity::note,
        .job = record.job.id,
        .op = Op::read,
        .evidence = {{"read_bytes", static_cast<double>(read->bytes)},
                     {"file_bytes", static_cast<double>(record.job.workload.size)}},
        .mark = "buffered: may be RAM",
        .text = text(record),
        .remedy = remedy(report, record),
    };
    if (report.environment.memory_bytes) {
      finding.evidence.push_back(
          {"memory_bytes", static_cast<double>(*report.environment.memory_bytes)});
    }
    return finding;
  });
}

}  // namespace rules

}  // namespace sthd::analyze
