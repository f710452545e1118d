#include "runner/analyze/remedies.hpp"

#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze {

namespace {

constexpr std::string_view kSetGovernor =
    "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
/// No deeper than C1, the PCIe links and NVMe drives awake: what a server that waits for single
/// commits gives up in watts for latency.
constexpr std::string_view kArguments =
    "intel_idle.max_cstate=1 processor.max_cstate=1 pcie_aspm=off "
    "nvme_core.default_ps_max_latency_us=0";

bool virtual_machine(const Report& report) {
  const std::string_view host = word(report, "host.virtualisation");
  return !host.empty() && host != "none";
}

}  // namespace

std::string governor_remedy(const Report& report) {
  const std::string_view platform = word(report, "host.platform");
  std::string keep =
      "to keep it, run the same at each start from a systemd unit (Type=oneshot), or "
      "`tuned-adm profile latency-performance` where tuned is installed";
  if (platform == "truenas") {
    keep =
        "to keep it, add the same command under System > Advanced Settings > Init/Shutdown "
        "Scripts, Type Command, When Post Init";
  } else if (platform == "unraid") {
    keep = "to keep it, add the same line to /boot/config/go";
  } else if (platform == "proxmox") {
    keep = "to keep it, run the same at each start from a systemd unit (Type=oneshot) of the host";
  }
  return fmt::format("Set it for now: `{}`; {}.", kSetGovernor, keep);
}

std::string firmware_profile(const Report& report) {
  const std::string_view vendor = word(report, "host.vendor");
  if (virtual_machine(report)) return "";
  if (vendor.starts_with("Dell")) {
    return "set the BIOS's System Profile to Performance (iDRAC: `racadm set "
           "BIOS.SysProfileSettings.SysProfile PerfOptimized`)";
  }
  if (vendor.starts_with("HPE") || vendor.starts_with("HP") || vendor.starts_with("Hewlett")) {
    return "set the BIOS's Workload Profile to Low Latency (older: Power Profile, Maximum "
           "Performance)";
  }
  if (vendor.starts_with("Lenovo") || vendor.starts_with("IBM")) {
    return "set the UEFI's Operating Mode to Maximum Performance";
  }
  return "";
}

std::string idle_remedy(const Report& report) {
  if (virtual_machine(report)) {
    return "This machine is virtual: set the host's power profile to performance.";
  }
  const std::string_view platform = word(report, "host.platform");
  std::string where = "to the kernel's command line";
  if (platform == "truenas") where = "under System > Advanced Settings > Kernel Arguments";
  if (platform == "proxmox") {
    where = "to /etc/kernel/cmdline (`proxmox-boot-tool refresh`) or GRUB_CMDLINE_LINUX";
  }
  if (platform == "unraid") where = "to the append line of Main > Flash > Syslinux Configuration";
  std::string profile = firmware_profile(report);
  if (!profile.empty()) profile = fmt::format("First {}, then, if need be, a", profile);
  return fmt::format("{}dd `{}` {}, and restart.", profile.empty() ? "A" : profile, kArguments,
                     where);
}

std::string pool_watch(const Report& report) {
  const std::string_view pool = word(report, "zfs.pool");
  return fmt::format("Watch it with `zpool iostat -vl {} 1`.",
                     pool.empty() ? "POOL" : display(pool));
}

}  // namespace sthd::analyze
