#include <algorithm>
#include <set>

#include "runner/host/counters_text.hpp"
#include "runner/host/environment_text.hpp"
#include "runner/host/facts_source.hpp"

#include <fmt/format.h>

// What the processors are and how far they may slow down or sleep.
namespace sthd::host::facts {
namespace {

constexpr char kCpus[] = "/sys/devices/system/cpu";
constexpr std::string_view kNoCpufreq = "this machine shows no cpufreq";
constexpr std::string_view kNoCpuidle = "this machine shows no cpuidle";

/// "0-3,8" has 5.
std::optional<double> cpus_in(std::string_view list) {
  double count = 0;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    const std::string_view part = list.substr(0, end);
    const auto dash = part.find('-');
    const auto first = counters::number(part.substr(0, dash));
    const auto last = dash == part.npos ? first : counters::number(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    count += static_cast<double>(*last - *first + 1);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return count > 0 ? std::optional(count) : std::nullopt;
}

/// Everything that the policies say under this name, once each: "powersave, performance".
std::string all_of(const Sysroot& sysroot, const std::vector<std::string>& policies,
                   const std::string& file) {
  std::string text;
  std::set<std::string> seen;
  for (const std::string& policy : policies) {
    const std::string value = sysroot.line(policy + file);
    if (value.empty() || !seen.insert(value).second) continue;
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

/// The mean over at most 16 CPUs: on some kernels each read wakes the CPU that it asks about.
std::optional<double> mhz_now(const Sysroot& sysroot, const std::vector<std::string>& policies) {
  constexpr std::size_t kMost = 16;
  const std::size_t step = std::max<std::size_t>(1, policies.size() / kMost);
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < policies.size(); i += step) {
    const auto khz = sysroot.number(policies[i] + "/scaling_cur_freq");
    if (!khz) continue;
    sum += *khz / 1000;
    ++count;
  }
  if (count > 0) return sum / count;
  counters::each_line(sysroot.text("/proc/cpuinfo"), [&](std::string_view line) {
    if (!line.starts_with("cpu MHz")) return;
    const auto mhz =
        leading_number(trimmed(line.substr(std::min(line.find(':'), line.size() - 1) + 1)));
    if (!mhz) return;
    sum += *mhz;
    ++count;
  });
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

void add_frequency(const Sysroot& sysroot, FactList& out) {
  std::vector<std::string> policies;
  for (const auto& name : sysroot.names(std::string(kCpus) + "/cpufreq")) {
    if (name.starts_with("policy")) policies.push_back(std::string(kCpus) + "/cpufreq/" + name);
  }
  std::optional<double> lowest;
  std::optional<double> highest;
  for (const std::string& policy : policies) {
    if (const auto khz = sysroot.number(policy + "/cpuinfo_min_freq")) {
      lowest = std::min(lowest.value_or(*khz / 1000), *khz / 1000);
    }
    if (const auto khz = sysroot.number(policy + "/cpuinfo_max_freq")) {
      highest = std::max(highest.value_or(0), *khz / 1000);
    }
  }
  out.text("cpu.governor", all_of(sysroot, policies, "/scaling_governor"), kNoCpufreq);
  out.text("cpu.driver", all_of(sysroot, policies, "/scaling_driver"), kNoCpufreq);
  out.text("cpu.epp", all_of(sysroot, policies, "/energy_performance_preference"),
           policies.empty() ? kNoCpufreq : "this CPU driver has no energy preference");
  out.number("cpu.mhz_min", lowest, kNoCpufreq);
  out.number("cpu.mhz_max", highest, kNoCpufreq);
  out.number("cpu.mhz_now", mhz_now(sysroot, policies), kNoCpufreq);
}

void add_idle(const Sysroot& sysroot, FactList& out) {
  std::string states;
  std::optional<double> deepest;
  const std::string folder = std::string(kCpus) + "/cpu0/cpuidle";
  for (const auto& state : sysroot.names(folder)) {
    const std::string below = fmt::format("{}/{}", folder, state);
    if (sysroot.number(below + "/disable").value_or(0) != 0) continue;
    const std::string name = sysroot.line(below + "/name");
    if (!name.empty()) states += (states.empty() ? "" : " ") + name;
    const auto latency = sysroot.number(below + "/latency");
    if (latency) deepest = std::max(deepest.value_or(0), *latency);
  }
  const std::string driver = sysroot.line(std::string(kCpus) + "/cpuidle/current_driver");
  const bool named = !driver.empty() && driver != "none";
  out.text("cpu.idle_states", states, kNoCpuidle);
  out.number("cpu.idle_latency_max_us", deepest, kNoCpuidle);
  out.text("cpu.idle_driver", named ? driver : "", kNoCpuidle);
  const char* module = driver == "intel_idle" ? "intel_idle" : "processor";
  out.number("cpu.max_cstate",
             sysroot.number(std::string("/sys/module/") + module + "/parameters/max_cstate"),
             "no idle driver with such a limit is loaded");
}

/// The choice in brackets: "[default] performance".
std::string chosen(const std::string& text) {
  const auto begin = text.find('[');
  const auto end = text.find(']', begin);
  return begin == text.npos || end == text.npos ? "" : text.substr(begin + 1, end - begin - 1);
}

}  // namespace

void add_cpu(const Sysroot& sysroot, FactList& out) {
  out.text("cpu.model", cpu_model(sysroot.text("/proc/cpuinfo")), "/proc/cpuinfo does not tell");
  out.number("cpu.cores", cpus_in(sysroot.line(std::string(kCpus) + "/online")),
             "/sys does not list the CPUs");
  add_frequency(sysroot, out);
  add_idle(sysroot, out);
  out.text("pcie.aspm_policy", chosen(sysroot.line("/sys/module/pcie_aspm/parameters/policy")),
           "this kernel manages no PCIe link power");
  out.number("nvme.apst_latency_us",
             sysroot.number("/sys/module/nvme_core/parameters/default_ps_max_latency_us"),
             "no NVMe driver is loaded");
}

}  // namespace sthd::host::facts
