#pragma once

#include <string>
#include <vector>

#include "runner/analyze/analyze.hpp"

namespace sthd::analyze::test {

/// A record of one loop in which `ios` 4 KiB I/Os took `lat_ns` each, in a window of 1 s.
inline ResultRecord measured(Op op, std::uint32_t queue_depth, std::uint32_t threads,
                             std::uint64_t ios, std::uint64_t lat_ns) {
  ResultRecord record;
  record.job = {"j", "j", "J", {}};
  record.job.workload.op = op;
  record.job.workload.queue_depth = queue_depth;
  record.job.workload.threads = threads;
  record.resolution.backend = "native-psync";
  record.resolution.engine = "psync";
  record.resolution.direct_effective = true;
  record.resolution.queue_depth_effective = queue_depth;
  OpResult result;
  result.ios = ios;
  result.bytes = ios * record.job.workload.block_size;
  result.elapsed_ns = kSecond;
  for (std::uint64_t i = 0; i < ios; ++i) result.lat.add(lat_ns);
  LoopResult loop;
  if (op != Op::write) loop.read = result;
  if (op != Op::read) loop.write = result;
  record.loops = {loop};
  return record;
}

inline Report report_of(std::vector<ResultRecord> records) {
  Report report;
  report.records = std::move(records);
  return report;
}

/// What is said of `record` under `code`.
inline std::vector<Finding> said(const Report& report, std::string_view code) {
  std::vector<Finding> found;
  for (Finding& finding : analyze(report)) {
    if (finding.code == code) found.push_back(std::move(finding));
  }
  return found;
}

/// "name=value" of each piece of evidence that is a number.
inline std::string numbers(const Finding& finding) {
  std::string out;
  for (const Evidence& item : finding.evidence) {
    const double* value = std::get_if<double>(&item.value);
    if (value == nullptr) continue;
    std::string text = std::to_string(*value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    out += (out.empty() ? "" : " ") + item.name + "=" + text;
  }
  return out;
}

}  // namespace sthd::analyze::test
