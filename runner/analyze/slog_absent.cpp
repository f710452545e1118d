#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze::rules {

/// Sync writes on a pool without a log device: the data disks take them twice.
std::vector<Finding> slog_absent(const Report& report) {
  if (has_log(report) != false) return {};
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto zil = zil_of(record);
    if (!zil || !writes_durably(report, record)) return std::nullopt;
    if (zil->log > 0 || zil->pool + zil->indirect <= 0) return std::nullopt;
    const std::string_view pool = word(report, "zfs.pool");
    return Finding{
        .code = "slog-absent",
        .severity = Severity::note,
        .job = record.job.id,
        .op = Op::write,
        .evidence = {{"zil_normal_bytes", zil->pool}, {"zil_slog_bytes", zil->log}},
        .text = "The pool has no log device: sync writes wait for the data disks.",
        .remedy = fmt::format("`zpool add {} log DEVICE`, a drive with power-loss protection and "
                              "fast flushes, moves them away.",
                              pool.empty() ? "POOL" : display(pool)),
    };
  });
}

Check slog_absent_check() { return {"slog-absent", {Need::pool}}; }

}  // namespace sthd::analyze::rules
