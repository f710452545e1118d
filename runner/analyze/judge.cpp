#include <algorithm>

#include "runner/analyze/analyze.hpp"
#include "runner/analyze/durability.hpp"
#include "runner/analyze/expectations.hpp"
#include "runner/analyze/layers.hpp"

namespace sthd::analyze {

namespace {

// Shares of the job's bytes that the devices moved. The last tenth may be readahead, blocks merged
// on their way, or the flush of what was written before.
constexpr double kByDevice = 0.9;
constexpr double kByCache = 0.1;

CacheClass class_of_share(double share) {
  if (share >= kByDevice) return CacheClass::device;
  return share <= kByCache ? CacheClass::cache : CacheClass::mixed;
}

/// One direction by the evidence of the counters.
CacheClass class_of(const Report& report, const ResultRecord& record, Op op) {
  if (is_ram(report.target)) return CacheClass::cache;
  const auto share = device_share(record, op);
  if (!share || may_vanish(report, record)) return CacheClass::unknown;
  // Of durable writes a flush's bytes are the journal's or the log's; they count all the same.
  return class_of_share(*share);
}

CacheClass class_of(const Report& report, const ResultRecord& record) {
  const Op op = record.job.workload.op;
  if (op != Op::mixed) return class_of(report, record, op);
  const CacheClass read = class_of(report, record, Op::read);
  const CacheClass write = class_of(report, record, Op::write);
  if (read == write) return read;
  const bool known = read != CacheClass::unknown && write != CacheClass::unknown;
  return known ? CacheClass::mixed : CacheClass::unknown;
}

Validity validity_of(const Report& report, const ResultRecord& record) {
  Validity worst = Validity::ok;
  for (const Finding& finding : report.findings) {
    if (!finding.job.empty() && finding.job != record.job.id) continue;
    if (finding.severity == Severity::invalidates) return Validity::invalid;
    if (finding.severity == Severity::suspect) worst = Validity::suspect;
  }
  return worst;
}

}  // namespace

void judge(Report& report) {
  report.judgements = judgements_of(report);
  report.findings = analyze(report);
  for (ResultRecord& record : report.records) {
    if (record.status != Status::ok && record.status != Status::interrupted) {
      record.verdict = {};
      continue;
    }
    Verdict& verdict = record.verdict;
    verdict.cache_class = class_of(report, record);
    verdict.durability = durability_of(report, record);
    verdict.validity = validity_of(report, record);
    verdict.layers = layers_of(report, record, verdict.cache_class);
  }
}

}  // namespace sthd::analyze
