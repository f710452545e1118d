#include <fmt/format.h>

#include "runner/analyze/own_time.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kWaited = 0.1;   // of the threads' time, ready but without a core
constexpr double kFew = 50e6;     // ns: /proc/stat counts in 10 ms, and a scheduler slice is some
constexpr double kStolen = 0.05;  // of the machine's busy time, taken by the hypervisor

std::optional<double> hypervisor_share(const ResultRecord& record) {
  const auto steal = counter_total(record, "host.steal_ns");
  const auto busy = counter_total(record, "host.cpu_busy_ns");
  if (!steal || !busy || *steal < kFew) return std::nullopt;
  return *steal / (*steal + *busy);
}

/// Waiting behind one's own other threads is no theft.
bool others_took_it(const Report& report, const ResultRecord& record, double wait_ns) {
  const auto cores = cores_of(report);
  if (!cores || workers_of(record) > *cores) return false;
  const auto throttled = counter_total(record, "cgroup.throttled_ns");
  constexpr double kHalf = 0.5;
  return !throttled || *throttled < kHalf * wait_ns;  // a quota is cgroup-throttled's
}

}  // namespace

namespace rules {

/// The job was ready to run and others had the CPU.
std::vector<Finding> cpu_stolen(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const double time_ns = window_s(record) * 1e9 * workers_of(record);
    const auto wait = counter_total(record, "own.steal_ns");
    const auto stolen = hypervisor_share(record);
    const bool waited =
        wait && time_ns > 0 && *wait >= kWaited * time_ns && others_took_it(report, record, *wait);
    const bool by_host = stolen && *stolen >= kStolen;
    if (!waited && !by_host) return std::nullopt;
    Finding finding{
        .code = "cpu-stolen",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = direction(record),
        .mark = "CPU taken by others",
    };
    if (waited) {
      finding.evidence = {{"own_wait_ns", *wait}, {"threads_ns", time_ns}};
      finding.text = fmt::format(
          "For {:.0f} % of its time the job was ready to run and had no core: others had the CPU.",
          *wait / time_ns * 100);
      finding.remedy = "Stop the other load (`top` shows it), or give the test a core of its own.";
    } else {
      finding.evidence = {{"host_steal_percent", *stolen * 100}};
      finding.text = fmt::format(
          "The hypervisor gave {:.0f} % of this machine's CPU time to "
          "others.",
          *stolen * 100);
      finding.remedy = "Repeat it when the host is quiet, or pin the virtual CPUs.";
    }
    return finding;
  });
}

Check cpu_stolen_check() { return {"cpu-stolen", {Need::ready_time}}; }

}  // namespace rules

}  // namespace sthd::analyze
