#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/remedies.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

constexpr double kSlow = 0.75;  // of the highest frequency: below, the code path is a third slower

/// The mean over the rows' windows, or what it was before the run.
std::optional<double> mhz(const Report& report) {
  double sum = 0;
  double count = 0;
  for (const ResultRecord& record : report.records) {
    for (const LoopResult& loop : record.loops) {
      const auto mean = fact_number(loop.counters, "cpu.mhz_mean");
      if (!mean) continue;
      sum += *mean;
      ++count;
    }
  }
  return count > 0 ? std::optional(sum / count) : number(report, "cpu.mhz_now");
}

}  // namespace

namespace rules {

/// A governor that follows the load parks cores that wait for I/O at a low frequency.
std::vector<Finding> cpu_governor(const Report& report) {
  const std::string_view governor = word(report, "cpu.governor");
  const auto top = number(report, "cpu.mhz_max");
  const auto now = mhz(report);
  if (report.records.empty() || governor.empty() || governor == "performance" || !top || !now ||
      *top <= 0 || *now >= kSlow * *top) {
    return {};
  }
  const auto low = number(report, "cpu.mhz_min");
  constexpr double kAtFloor = 1.02;
  const bool parked = low && *now <= kAtFloor * *low;
  Finding finding{
      .code = "cpu-governor",
      .severity = Severity::suspect,
      .evidence = {{"governor", std::string(governor)}, {"mhz", *now}, {"mhz_max", *top}},
      .text = fmt::format(
          "The cores ran at {:.0f} MHz of {:.0f}{}: the governor {} clocks cores down that wait "
          "for I/O, and each I/O pays for it.",
          *now, *top, parked ? ", their lowest" : "", display(governor)),
      .remedy = governor_remedy(report),
  };
  const std::string profile = firmware_profile(report);
  if (!profile.empty()) {
    finding.remedy += fmt::format(" The firmware may overrule it: {}.", profile);
  }
  return {finding};
}

Check cpu_governor_check() { return {"cpu-governor", {Need::governor}}; }

}  // namespace rules

}  // namespace sthd::analyze
