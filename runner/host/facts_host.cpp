#include <array>

#include "runner/host/counters_text.hpp"
#include "runner/host/environment_text.hpp"
#include "runner/host/facts_source.hpp"

// What machine this is and what it is doing.
namespace sthd::host::facts {
namespace {

struct Mark {
  std::string_view found;
  std::string_view meaning;
};

/// The first mark that occurs in `text`; empty when none does.
template <std::size_t N>
std::string_view meaning_of(std::string_view text, const std::array<Mark, N>& marks) {
  for (const Mark& mark : marks) {
    if (text.find(mark.found) != std::string_view::npos) return mark.meaning;
  }
  return {};
}

std::string platform(const Sysroot& sysroot, const std::string& kernel) {
  // TrueNAS keeps Debian's os-release and says who it is in /etc/version and in its kernel's name.
  if (kernel.find("truenas") != kernel.npos ||
      sysroot.text("/etc/version").find("TrueNAS") != std::string::npos) {
    return "truenas";
  }
  // Not /etc/pve: that is a FUSE mount, which can hang.
  if (sysroot.exists("/usr/bin/pveversion") || kernel.ends_with("-pve")) return "proxmox";
  if (sysroot.exists("/etc/unraid-version")) return "unraid";
  return "plain";
}

std::string distribution(const Sysroot& sysroot, std::string_view platform) {
  if (platform == "truenas") {
    const std::string version = sysroot.line("/etc/version");
    if (!version.empty()) return version[0] == 'T' ? version : "TrueNAS " + version;
  }
  std::string os_release = sysroot.text("/etc/os-release");
  if (os_release.empty()) os_release = sysroot.text("/usr/lib/os-release");
  return distribution_name(os_release);
}

/// Where /proc/cpuinfo has the flag of a hypervisor, by what names itself: DMI, Xen's sysfs, the
/// kernel's command line, the ACPI tables, the clock.
std::string virtualisation(const Sysroot& sysroot, const std::string& dmi) {
  static constexpr std::array<Mark, 9> kDmi{{{"VMware", "vmware"},
                                             {"VirtualBox", "virtualbox"},
                                             {"innotek", "virtualbox"},
                                             {"Xen", "xen"},
                                             {"Virtual Machine", "hyperv"},
                                             {"QEMU", "kvm"},
                                             {"KVM", "kvm"},
                                             {"Amazon EC2", "kvm"},
                                             {"Google Compute Engine", "kvm"}}};
  const std::string cpuinfo = sysroot.text("/proc/cpuinfo");
  if (cpuinfo.find("User Mode Linux") != cpuinfo.npos) return "uml";
  if (sysroot.line("/sys/hypervisor/type") == "xen") return "xen";
  if (sysroot.line("/proc/cmdline").find("firecracker") != std::string::npos) return "firecracker";
  const bool x86 = cpuinfo.find("vendor_id") != cpuinfo.npos;
  const bool flagged = cpuinfo.find(" hypervisor") != cpuinfo.npos;
  const bool metal = dmi.find(".metal") != dmi.npos || (x86 && !flagged);
  if (metal && !cpuinfo.empty()) return "none";
  if (const auto named = meaning_of(dmi, kDmi); !named.empty()) return std::string(named);
  const std::string clocks =
      sysroot.line("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  if (clocks.find("kvm-clock") != clocks.npos) return "kvm";
  if (clocks.find("hyperv") != clocks.npos) return "hyperv";
  if (flagged) return "unknown hypervisor";
  return cpuinfo.empty() ? "" : "none";
}

std::string container(const Sysroot& sysroot) {
  static constexpr std::array<Mark, 6> kNames{{{"docker", "docker"},
                                               {"kubepods", "kubernetes"},
                                               {"libpod", "podman"},
                                               {"/lxc", "lxc"},
                                               {"lxc.", "lxc"},
                                               {"containerd", "containerd"}}};
  std::string manager = sysroot.line("/run/systemd/container");
  if (!manager.empty()) return manager;
  if (sysroot.exists("/.dockerenv")) return "docker";
  if (sysroot.exists("/run/.containerenv")) return "podman";
  const std::string environment = sysroot.text("/proc/1/environ");
  constexpr std::string_view kKey("\0container=", 11);
  const std::string marked = std::string(1, '\0') + environment;
  if (const auto at = marked.find(kKey); at != marked.npos) {
    const auto begin = at + kKey.size();
    return marked.substr(begin, marked.find('\0', begin) - begin);
  }
  const auto named = meaning_of(sysroot.text("/proc/1/cgroup"), kNames);
  return std::string(named.empty() ? "none" : named);
}

void add_pressure(const Sysroot& sysroot, FactList& out) {
  for (const char* what : {"io", "cpu", "memory"}) {
    const std::string text = sysroot.text(std::string("/proc/pressure/") + what);
    std::optional<double> average;
    counters::each_line(text, [&](std::string_view line) {
      constexpr std::string_view kKey = "some avg10=";
      if (line.starts_with(kKey)) average = leading_number(line.substr(kKey.size()));
    });
    out.number(std::string("psi.") + what + "_some_avg10_percent", average,
               "this kernel counts no pressure; psi=1 on its command line makes it");
  }
}

}  // namespace

void add_host(const Sysroot& sysroot, FactList& out) {
  const std::string kernel = sysroot.line("/proc/sys/kernel/osrelease");
  const std::string where = platform(sysroot, kernel);
  out.text("host.kernel", kernel, "/proc/sys/kernel/osrelease cannot be read");
  out.text("host.cmdline", sysroot.line("/proc/cmdline"), "/proc/cmdline cannot be read");
  out.number("host.io_uring_disabled", sysroot.number("/proc/sys/kernel/io_uring_disabled"));
  out.text("host.distribution", distribution(sysroot, where), "there is no os-release file");
  out.text("host.platform", where);
  const std::string vendor = sysroot.line("/sys/class/dmi/id/sys_vendor");
  std::string product = sysroot.line("/sys/class/dmi/id/product_name");
  if (product.empty()) product = sysroot.line("/proc/device-tree/model");
  out.text("host.vendor", vendor, "this machine shows no DMI table");
  out.text("host.product", product, "this machine shows no DMI table");
  out.text("host.virtualisation", virtualisation(sysroot, vendor + "\n" + product),
           "/proc/cpuinfo cannot be read");
  out.text("host.container", container(sysroot));
  out.number("host.uptime_s", leading_number(sysroot.text("/proc/uptime")),
             "/proc/uptime cannot be read");
  out.number("host.load_1m", leading_number(sysroot.text("/proc/loadavg")),
             "/proc/loadavg cannot be read");
  add_pressure(sysroot, out);
}

}  // namespace sthd::host::facts
