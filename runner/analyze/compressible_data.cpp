#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze::rules {

/// Zeros on a filesystem that compresses: next to nothing is stored.
std::vector<Finding> compressible_data(const Report& report) {
  if (compresses(report) != true) return {};
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    if (record.job.workload.buffer != BufferKind::zeros || !writes(record)) return std::nullopt;
    const std::string_view how = word(report, "target.compression");
    Finding finding{
        .code = "compressible-data",
        .severity = Severity::invalidates,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"buffer", std::string("zeros")}, {"compression", std::string(how)}},
        .mark = "zeros, compressed",
        .text = fmt::format("Zeros were written and the target compresses{}: next to nothing was "
                            "stored.",
                            how.empty() ? "" : fmt::format(" ({})", display(how))),
        .remedy = "Use data that does not compress: --set buffer=random, the default.",
    };
    if (const auto device = device_bytes(record, Op::write)) {
      finding.evidence.push_back({"device_write_bytes", *device});
    }
    return finding;
  });
}

Check compressible_data_check() { return {"compressible-data", {Need::compression}}; }

}  // namespace sthd::analyze::rules
