#include <map>

#include "runner/host/counters_text.hpp"
#include "runner/host/facts_source.hpp"

#include <fmt/format.h>
#include "runner/host/mountinfo.hpp"

// What the cgroups of this process allow: the tightest limit on the way up to the root counts.
namespace sthd::host::facts {
namespace {

/// One of this process's cgroups and its parents, the innermost first; paths below the sysroot.
using Folders = std::vector<std::string>;

class Cgroups {
 public:
  explicit Cgroups(const Sysroot& sysroot)
      : sysroot_(sysroot), mounts_(parse_mountinfo(sysroot.text("/proc/self/mountinfo"))) {
    counters::each_line(sysroot.text("/proc/self/cgroup"), [this](std::string_view line) {
      const auto first = line.find(':');  // "4:cpu,cpuacct:/a/b", "0::/a/b"
      const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
      if (second == line.npos) return;
      paths_[std::string(line.substr(first + 1, second - first - 1))] = line.substr(second + 1);
    });
  }

  /// Those of version 2.
  [[nodiscard]] Folders unified() const { return folders("", "cgroup2"); }
  /// Those of version 1 that have this controller.
  [[nodiscard]] Folders with(const std::string& controller) const {
    for (const auto& [controllers, path] : paths_) {
      if (has_option(controllers, controller)) return folders(controllers, "cgroup", controller);
    }
    return {};
  }

  [[nodiscard]] const Sysroot& sysroot() const { return sysroot_; }

 private:
  [[nodiscard]] Folders folders(const std::string& controllers, std::string_view filesystem,
                                const std::string& controller = {}) const {
    const auto own = paths_.find(controllers);
    if (own == paths_.end()) return {};
    for (const Mount& mount : mounts_) {
      if (mount.filesystem != filesystem) continue;
      if (!controller.empty() && !has_option(mount.super_options, controller)) continue;
      std::string path = own->second;
      if (mount.root != "/") {
        path = path.starts_with(mount.root) ? path.substr(mount.root.size()) : "";
      }
      Folders found;
      for (; path.size() > 1; path.resize(path.rfind('/'))) {
        found.push_back(mount.mount_point + path);
        if (path.rfind('/') == path.npos) break;
      }
      found.push_back(mount.mount_point);
      return found;
    }
    return {};
  }

  const Sysroot& sysroot_;
  std::vector<Mount> mounts_;
  std::map<std::string, std::string> paths_;
};

struct CpuLimit {
  std::string text;
  std::optional<double> cores;

  void tighten(const std::string& found, double quota, double period) {
    if (quota <= 0 || period <= 0 || (cores && *cores <= quota / period)) return;
    cores = quota / period;
    text = found;
  }
};

CpuLimit cpu_limit(const Cgroups& groups) {
  CpuLimit limit;
  for (const auto& folder : groups.unified()) {
    const std::string text = groups.sysroot().line(folder + "/cpu.max");  // "50000 100000"
    const auto parts = counters::words(text);
    if (parts.size() != 2) continue;
    if (limit.text.empty()) limit.text = "max";
    limit.tighten(text, leading_number(parts[0]).value_or(0), leading_number(parts[1]).value_or(0));
  }
  for (const auto& folder : groups.with("cpu")) {
    const std::string quota = groups.sysroot().line(folder + "/cpu.cfs_quota_us");  // -1 = none
    const std::string period = groups.sysroot().line(folder + "/cpu.cfs_period_us");
    if (quota.empty()) continue;
    if (limit.text.empty()) limit.text = "max";
    limit.tighten(fmt::format("{} {}", quota, period), leading_number(quota).value_or(0),
                  leading_number(period).value_or(0));
  }
  return limit;
}

std::optional<double> memory_limit(const Cgroups& groups) {
  constexpr double kNone = 9e18;  // version 1 writes "no limit" as the largest number of pages
  std::optional<double> least;
  const auto look = [&](const std::string& file) {
    const auto bytes = groups.sysroot().number(file);
    if (bytes && *bytes < kNone && (!least || *bytes < *least)) least = bytes;
  };
  for (const auto& folder : groups.unified()) look(folder + "/memory.max");
  for (const auto& folder : groups.with("memory")) look(folder + "/memory.limit_in_bytes");
  return least;
}

/// "254:0 rbps=1048576 wbps=max riops=max wiops=max; …" of every level; "max" = no limit there.
std::string io_limit(const Cgroups& groups) {
  std::string limits;
  bool counted = false;
  const auto add = [&](std::string_view line, std::string_view prefix) {
    const std::string_view clean = trimmed(line);
    if (clean.empty()) return;
    if (!limits.empty()) limits += "; ";
    const auto blank = clean.find(' ');
    limits += prefix.empty() ? std::string(clean)
                             : std::string(clean.substr(0, blank)) + " " + std::string(prefix) +
                                   "=" + std::string(clean.substr(blank + 1));
  };
  for (const auto& folder : groups.unified()) {
    counted = counted || groups.sysroot().exists(folder + "/io.max");
    counters::each_line(groups.sysroot().text(folder + "/io.max"),
                        [&](std::string_view line) { add(line, ""); });
  }
  for (const auto& folder : groups.with("blkio")) {
    for (const char* what : {"read_bps", "write_bps", "read_iops", "write_iops"}) {
      const std::string file = folder + "/blkio.throttle." + what + "_device";
      counted = counted || groups.sysroot().exists(file);
      const std::string key =
          std::string(1, what[0]) + (std::string(what).substr(std::string(what).find('_') + 1));
      counters::each_line(groups.sysroot().text(file),
                          [&](std::string_view line) { add(line, key); });
    }
  }
  return limits.empty() && counted ? "max" : limits;
}

}  // namespace

void add_cgroup(const Sysroot& sysroot, FactList& out) {
  const Cgroups groups(sysroot);
  const CpuLimit cpu = cpu_limit(groups);
  out.text("cgroup.cpu_max", cpu.text, "no cgroup of this process controls the CPU");
  out.number("cgroup.cpu_quota_cores", cpu.cores);
  out.number("cgroup.memory_max_bytes", memory_limit(groups), "there is no memory limit");
  out.text("cgroup.io_max", io_limit(groups), "no cgroup of this process controls I/O");
}

}  // namespace sthd::host::facts
