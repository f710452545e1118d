#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

constexpr double kAll = 0.95;     // of the log's bytes on the log device
constexpr double kInPlace = 0.1;  // of the job's bytes written around the log: more is no logging

}  // namespace

namespace rules {

/// Good news: the log device took the sync writes.
std::vector<Finding> slog_confirmed(const Report& report) {
  if (has_log(report) == false) return {};
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto zil = zil_of(record);
    const auto bytes = job_bytes(record, Op::write);
    if (!zil || !bytes || !writes_durably(report, record)) return std::nullopt;
    if (zil->log <= 0 || zil->log < kAll * (zil->log + zil->pool)) return std::nullopt;
    if (zil->log < *bytes * kAll || zil->indirect > kInPlace * *bytes) return std::nullopt;
    const std::string name(word(report, "zfs.log.0.name"));
    return Finding{
        .code = "slog-confirmed",
        .severity = Severity::note,
        .job = record.job.id,
        .op = Op::write,
        .evidence = {{"zil_slog_bytes", zil->log}, {"zil_normal_bytes", zil->pool}},
        .text =
            fmt::format("Good: the log device{} took every sync write ({}), the data disks none.",
                        name.empty() ? "" : " " + display(name),
                        human_size(static_cast<std::uint64_t>(zil->log))),
    };
  });
}

Check slog_confirmed_check() { return {"slog-confirmed", {Need::intent_log}}; }

}  // namespace rules

}  // namespace sthd::analyze
