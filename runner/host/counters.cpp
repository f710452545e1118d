#include "runner/host/counters.hpp"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "runner/host/counters_text.hpp"
#include "runner/host/kernel_calls.hpp"
#include "sthd/units.hpp"

namespace sthd::host {
namespace {

using counters::number;
using counters::value_of;
using counters::words;
using Value = std::optional<std::uint64_t>;

constexpr std::uint64_t kSector = 512;  // bytes; of the statistics, whatever the disk's own

std::uint64_t clock_ns(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * kSecond + static_cast<std::uint64_t>(t.tv_nsec);
}

Value times(Value value, std::uint64_t unit) {
  return value ? std::optional(*value * unit) : std::nullopt;
}

Value sum(std::initializer_list<Value> parts) {
  Value total = 0;
  for (const Value& part : parts) total = total && part ? std::optional(*total + *part) : Value();
  return total;
}

class Writer {
 public:
  explicit Writer(std::vector<Count>& counts) : counts_(counts) {}
  void add(std::string name, Value value, std::string why, Count::Kind kind = Count::Kind::sum) {
    if (value) why.clear();
    counts_.push_back({std::move(name), kind, value, {}, std::move(why)});
  }
  void text(std::string name, std::string text) {
    counts_.push_back({std::move(name), Count::Kind::text, std::nullopt, std::move(text), {}});
  }

 private:
  std::vector<Count>& counts_;
};

/// Documentation/block/stat.rst: 11 figures since Linux 2.6, 15 with discards (4.18), 17 with
/// flushes (5.5). Times are in ms; they are summed in ns, so a difference is off by 1 ms at most.
void read_disk(const std::string& sysroot, std::size_t index, const std::string& disk,
               Writer& out) {
  const std::string path = fmt::format("/sys/class/block/{}/stat", disk);
  std::string text = read_small_file(sysroot + path);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  const auto parts = words(text);
  const auto column = [&](std::size_t i) {
    return i < parts.size() ? number(parts[i]) : std::nullopt;
  };
  const auto add = [&](std::string_view name, Value value, std::string_view since,
                       Count::Kind kind = Count::Kind::sum) {
    out.add(fmt::format("disk.{}.{}", index, name), value,
            parts.empty() ? fmt::format("{} cannot be read", path)
                          : fmt::format("{} has no such column{}", path, since),
            kind);
  };
  out.text(fmt::format("disk.{}.name", index), disk);
  add("read_ios", column(0), "");
  add("read_bytes", times(column(2), kSector), "");
  add("read_ticks_ns", times(column(3), kMillisecond), "");
  add("write_ios", column(4), "");
  add("write_bytes", times(column(6), kSector), "");
  add("write_ticks_ns", times(column(7), kMillisecond), "");
  add("flush_ios", column(15), ": it needs Linux 5.5");
  add("flush_ticks_ns", times(column(16), kMillisecond), ": it needs Linux 5.5");
  add("discard_ios", column(11), ": it needs Linux 4.18");
  add("in_flight_mean", times(column(10), kMillisecond), "", Count::Kind::mean);
  add("busy_ns", times(column(9), kMillisecond), "");
}

/// Every thread, ended ones apart: [0] ran, [1] waited for a CPU, ns.
std::array<Value, 2> thread_times(const std::string& sysroot) {
  constexpr std::size_t kMostThreads = 64;  // a file each: the whole is to take less than 1 ms
  std::array<Value, 2> total{0, 0};
  std::size_t threads = 0;
  std::error_code ignored;
  for (const auto& task :
       std::filesystem::directory_iterator(sysroot + "/proc/self/task", ignored)) {
    if (++threads > kMostThreads) return {};
    const std::string text = read_small_file((task.path() / "schedstat").string());
    const auto parts = words(text);
    for (std::size_t i = 0; i < total.size(); ++i) {
      total[i] = sum({total[i], i < parts.size() ? number(parts[i]) : std::nullopt});
    }
  }
  return threads > 0 ? total : std::array<Value, 2>{};
}

void read_own(const std::string& sysroot, Writer& out) {
  const std::string io = read_small_file(sysroot + "/proc/self/io");
  const std::string why = "/proc/self/io cannot be read";
  out.add("own.read_bytes", value_of(io, "read_bytes:"), why);
  out.add("own.write_bytes", value_of(io, "write_bytes:"), why);
  const auto [ran, waited] = thread_times(sysroot);
  const std::string no_times = "/proc/self/task/*/schedstat cannot be read, or are too many";
  out.add("own.run_ns", ran, no_times);
  out.add("own.steal_ns", waited, no_times);
}

/// proc(5): cpu user nice system idle iowait irq softirq steal …, in clock ticks.
void read_host(const std::string& sysroot, Writer& out) {
  const std::string stat = read_small_file(sysroot + "/proc/stat");
  const std::string why = "/proc/stat cannot be read";
  static const long kTicks = std::max(1L, ::sysconf(_SC_CLK_TCK));
  const std::uint64_t tick_ns = kSecond / static_cast<std::uint64_t>(kTicks);
  const auto column = [&](std::size_t i) { return times(value_of(stat, "cpu", i), tick_ns); };
  const Value busy = sum({column(1), column(2), column(3), column(6), column(7)});
  out.add("host.cpu_busy_ns", busy, why);
  out.add("host.cpu_idle_ns", column(4), why);
  out.add("host.steal_ns", column(8), why);
  out.add("host.iowait_ns", column(5), why);
  out.add("host.context_switches", value_of(stat, "ctxt"), why);
}

/// Documentation/accounting/psi.rst: "some avg10=0.00 avg60=0.00 avg300=0.00 total=<us>".
void read_pressure(const std::string& sysroot, Writer& out) {
  constexpr std::size_t kTotal = 4;
  constexpr std::string_view kKey = "total=";
  const std::string text = read_small_file(sysroot + "/proc/pressure/io");
  const auto parts = words(std::string_view(text).substr(0, text.find('\n')));
  const bool there = parts.size() > kTotal && parts[kTotal].starts_with(kKey);
  out.add("psi.io_some_ns",
          there ? times(number(parts[kTotal].substr(kKey.size())), kMicrosecond) : std::nullopt,
          "this kernel counts no pressure; psi=1 on its command line makes it");
}

void read_cgroup(const std::string& file, Writer& out) {
  const std::string stat = file.empty() ? std::string() : read_small_file(file);
  const std::string why = "no cgroup of this process counts CPU throttling";
  const Value v2 = times(value_of(stat, "throttled_usec"), 1000);
  out.add("cgroup.throttled_ns", v2 ? v2 : value_of(stat, "throttled_time"), why);
  out.add("cgroup.throttled_periods", value_of(stat, "nr_throttled"), why);
}

/// A kstat: "name type data" a line.
void read_zfs(const std::string& sysroot, const std::string& zil_file, Writer& out) {
  constexpr std::size_t kData = 2;
  const std::string arc = read_small_file(sysroot + "/proc/spl/kstat/zfs/arcstats");
  for (const char* name : {"hits", "misses", "demand_data_hits", "demand_data_misses"}) {
    out.add(fmt::format("arc.{}", name), value_of(arc, name, kData),
            "/proc/spl/kstat/zfs/arcstats does not tell");
  }
  out.add("arc.size_bytes", value_of(arc, "size", kData),
          "/proc/spl/kstat/zfs/arcstats does not tell", Count::Kind::level);
  constexpr std::array<std::pair<const char*, const char*>, 10> kZil{
      {{"zil.commits", "zil_commit_count"},
       {"zil.slog_bytes", "zil_itx_metaslab_slog_bytes"},
       {"zil.slog_count", "zil_itx_metaslab_slog_count"},
       {"zil.normal_bytes", "zil_itx_metaslab_normal_bytes"},
       {"zil.normal_count", "zil_itx_metaslab_normal_count"},
       {"zil.indirect_bytes", "zil_itx_indirect_bytes"},
       {"zil.indirect_count", "zil_itx_indirect_count"},
       {"zil.needcopy_bytes", "zil_itx_needcopy_bytes"},
       {"zil.needcopy_count", "zil_itx_needcopy_count"},
       {"zil.copied_bytes", "zil_itx_copied_bytes"}}};
  const std::string zil = zil_file.empty() ? std::string() : read_small_file(zil_file);
  for (const auto& [name, row] : kZil) {
    out.add(name, value_of(zil, row, kData), "/proc/spl/kstat/zfs/zil does not tell");
  }
}

void read_nfs(const std::string& sysroot, const std::string& mount_point, Writer& out) {
  const auto counts =
      counters::nfs_counts(read_small_file(sysroot + "/proc/self/mountstats"), mount_point);
  const std::string why = "/proc/self/mountstats does not have the mount";
  const auto ms = [&](std::uint64_t counters::NfsCounts::*member) {
    return counts ? std::optional((*counts).*member * kMillisecond) : std::nullopt;
  };
  out.add("nfs.ops", counts ? std::optional(counts->ops) : std::nullopt, why);
  out.add("nfs.rtt_ns", ms(&counters::NfsCounts::rtt_ms), why);
  out.add("nfs.execute_ns", ms(&counters::NfsCounts::execute_ms), why);
}

Fact fact_of(const Count& before, const Count& after, std::uint64_t window_ns) {
  Fact fact{after.name, {}, {}};
  if (after.kind == Count::Kind::text) {
    fact.value = after.text;
  } else if (!after.value || !before.value) {
    fact.unknown_because = !after.value ? after.unknown_because : before.unknown_because;
  } else if (after.kind == Count::Kind::level) {
    fact.value = static_cast<double>(*after.value);
  } else if (*after.value < *before.value) {
    fact.unknown_because = "the counter went backwards";
  } else if (const auto grown = static_cast<double>(*after.value - *before.value);
             after.kind == Count::Kind::sum) {
    fact.value = grown;
  } else if (window_ns > 0) {
    fact.value = grown / static_cast<double>(window_ns);
  } else {
    fact.unknown_because = "the window has no length";
  }
  return fact;
}

}  // namespace

Counters::Counters(std::string sysroot, const Target& target, std::vector<std::string> disks)
    : sysroot_(std::move(sysroot)),
      disks_(std::move(disks)),
      cgroup_stat_(counters::cgroup_stat_file(sysroot_)) {
  const bool on_zvol = std::any_of(disks_.begin(), disks_.end(),
                                   [](const auto& disk) { return disk.starts_with("zd"); });
  zfs_ = target.filesystem == "zfs" || on_zvol;
  if (zfs_) zil_stat_ = counters::zil_stat_file(sysroot_, on_zvol ? "" : target.source);
  if (target.filesystem.starts_with("nfs")) {
    nfs_mount_point_ = counters::escaped_path(target.mount_point);
  }
}

Snapshot Counters::read() const {
  Snapshot now;
  now.counts.reserve(disks_.size() * 12 + 32);
  Writer out(now.counts);
  now.monotonic_ns = clock_ns(CLOCK_MONOTONIC);
  now.boottime_ns = clock_ns(CLOCK_BOOTTIME);
  for (std::size_t i = 0; i < disks_.size(); ++i) read_disk(sysroot_, i, disks_[i], out);
  read_own(sysroot_, out);
  read_host(sysroot_, out);
  read_pressure(sysroot_, out);
  read_cgroup(cgroup_stat_, out);
  if (zfs_) read_zfs(sysroot_, zil_stat_, out);
  if (!nfs_mount_point_.empty()) read_nfs(sysroot_, nfs_mount_point_, out);
  return now;
}

Facts difference(const Snapshot& before, const Snapshot& after) {
  const std::uint64_t window_ns = after.monotonic_ns - before.monotonic_ns;
  const std::uint64_t real_ns = after.boottime_ns - before.boottime_ns;
  Facts facts;
  facts.reserve(after.counts.size() + 4);
  facts.push_back({"window_ns", static_cast<double>(window_ns), {}});
  for (std::size_t i = 0; i < std::min(before.counts.size(), after.counts.size()); ++i) {
    facts.push_back(fact_of(before.counts[i], after.counts[i], window_ns));
  }
  // The two clocks are read one after the other: their difference is off by what that takes.
  constexpr std::uint64_t kClockNoise = kMillisecond;
  const std::uint64_t slept = real_ns > window_ns ? real_ns - window_ns : 0;
  facts.push_back(
      {"wall.suspended_ns", slept > kClockNoise ? static_cast<double>(slept) : 0.0, {}});
  return facts;
}

}  // namespace sthd::host
