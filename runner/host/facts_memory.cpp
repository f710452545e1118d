#include "runner/host/counters_text.hpp"
#include "runner/host/facts_source.hpp"

// Memory, what of it caches files, and what this process may use.
namespace sthd::host::facts {
namespace {

constexpr double kKiB = 1024;

/// A line of /proc/meminfo, which counts in KiB, in bytes.
std::optional<double> meminfo_bytes(std::string_view text, std::string_view key) {
  const auto kib = counters::value_of(text, key);
  return kib ? std::optional(static_cast<double>(*kib) * kKiB) : std::nullopt;
}

/// vm.dirty_ratio is 0 where vm.dirty_bytes is in force.
void add_dirty_ratio(const Sysroot& sysroot, const std::string& name, FactList& out) {
  const auto percent = sysroot.number("/proc/sys/vm/" + name + "_ratio");
  const bool in_bytes = percent && *percent == 0;
  out.number("memory." + name + "_ratio_percent", in_bytes ? std::nullopt : percent,
             in_bytes ? "vm." + name + "_bytes is set instead"
                      : "/proc/sys/vm/" + name + "_ratio cannot be read");
}

void add_arc(const Sysroot& sysroot, FactList& out) {
  constexpr std::size_t kValue = 2;  // "size 4 123456": name, type, value
  const std::string stats = sysroot.text("/proc/spl/kstat/zfs/arcstats");
  if (stats.empty()) return;  // no ZFS here: nobody misses it
  const auto bytes = [&](std::string_view key) {
    const auto value = counters::value_of(stats, key, kValue);
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  };
  out.number("arc.size_bytes", bytes("size"), "arcstats does not tell");
  out.number("arc.max_bytes", bytes("c_max"), "arcstats does not tell");
}

/// The soft limit in /proc/self/limits: "Max open files            1024      524288    files".
void add_limit(std::string_view limits, std::string_view title, std::string name, FactList& out) {
  std::string soft;
  counters::each_line(limits, [&](std::string_view line) {
    if (!line.starts_with(title)) return;
    const auto parts = counters::words(line.substr(title.size()));
    if (!parts.empty()) soft = parts[0];
  });
  if (soft == "unlimited") {
    out.text(std::move(name), std::move(soft));
  } else {
    const auto value = counters::number(soft);
    out.number(std::move(name), value ? std::optional(static_cast<double>(*value)) : std::nullopt,
               "/proc/self/limits cannot be read");
  }
}

}  // namespace

void add_memory(const Sysroot& sysroot, FactList& out) {
  constexpr std::string_view kNone = "/proc/meminfo does not tell";
  const std::string meminfo = sysroot.text("/proc/meminfo");
  auto cached = meminfo_bytes(meminfo, "Cached:");
  if (cached) *cached += meminfo_bytes(meminfo, "Buffers:").value_or(0);
  out.number("memory.total_bytes", meminfo_bytes(meminfo, "MemTotal:"), kNone);
  out.number("memory.available_bytes", meminfo_bytes(meminfo, "MemAvailable:"), kNone);
  out.number("memory.page_cache_bytes", cached, kNone);
  out.number("memory.dirty_bytes", meminfo_bytes(meminfo, "Dirty:"), kNone);
  add_dirty_ratio(sysroot, "dirty_background", out);
  add_dirty_ratio(sysroot, "dirty", out);
  add_arc(sysroot, out);
  const std::string limits = sysroot.text("/proc/self/limits");
  add_limit(limits, "Max locked memory", "limits.memlock_bytes", out);
  add_limit(limits, "Max open files", "limits.nofile", out);
}

}  // namespace sthd::host::facts
