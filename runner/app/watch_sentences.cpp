#include <fmt/format.h>

#include <algorithm>

#include "runner/app/watch_figures.hpp"
#include "runner/app/watch_text.hpp"
#include "sthd/text.hpp"
#include "sthd/units.hpp"

namespace sthd::app {
namespace {

using Number = std::optional<double>;
using Sentences = std::vector<std::string>;

/// "0.42 ms", "8.3 us": three digits are all that a tick of 1 ms and a mean of many deserve.
std::string latency(double us) {
  if (us >= 1e6) return fmt::format("{:.2f} s", us / 1e6);
  return us >= 100 ? fmt::format("{:.2f} ms", us / 1e3) : fmt::format("{:.1f} us", us);
}

std::string rate(double per_second) {
  return fmt::format("{:.{}f}", per_second, per_second < 10 ? 1 : 0);
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is(const Facts& facts, std::string_view name, std::string_view value) {
  return fact_text(facts, name) == value;
}

/// Why no flush came, as far as it is known.
std::string no_flush_because(const Facts& facts) {
  if (is(facts, "zfs.sync", "disabled")) {
    return "the dataset has sync=disabled, so nothing that asks for durability gets it";
  }
  if (is(facts, "target.barrier", "off")) {
    return "the filesystem has its barriers off, so a power cut can lose what a volatile cache "
           "holds";
  }
  return fact_text(facts, "target.barrier") || fact_text(facts, "zfs.sync")
             ? "nobody asked for durability"
             : "nobody asked for durability, or the filesystem has its barriers off";
}

void about_flushes(const Facts& facts, const WatchFigures& figures, Sentences& out) {
  std::vector<std::string> without;
  for (const DiskFigures& disk : figures.disks) {
    if (figures.has_log() && !disk.is_log()) continue;  // those of a transaction group
    if (!disk.flush.per_second || !disk.write.per_second) continue;
    if (*disk.flush.per_second == 0) {
      if (*disk.write.per_second > 0 && disk.write_cache != "write through") {
        without.push_back(disk.name);
      }
      continue;
    }
    std::string text =
        fmt::format("{} flushes/s reach {}", rate(*disk.flush.per_second), disk.name);
    if (disk.flush.mean_us && disk.flush.share) {
      const double share = std::min(1.0, *disk.flush.share);
      text += fmt::format("; each takes {}", latency(*disk.flush.mean_us));
      text += share >= 0.5
                  ? fmt::format(
                        ", {:.0f} % of the time together: sync writes are bound by the "
                        "device",
                        share * 100)
                  : fmt::format(", {:.0f} % of the time together: the device could take more",
                                share * 100);
    }
    out.push_back(text + ".");
  }
  if (!without.empty()) {
    out.push_back(
        fmt::format("No flush reached {}: {}.", joined(without), no_flush_because(facts)));
  }
}

/// A disk whose cache is not volatile is sent no flush, whoever asks for one.
void about_write_through(const WatchFigures& figures, Sentences& out) {
  std::vector<std::string> names;
  for (const DiskFigures& disk : figures.disks) {
    const bool silent = disk.flush.per_second == 0.0 && disk.write.per_second.value_or(0) > 0;
    if (silent && disk.write_cache == "write through") names.push_back(disk.name);
  }
  if (names.empty()) return;
  out.push_back(fmt::format(
      "{} {} no volatile cache (write through), so the kernel sends no flushes: writes are durable "
      "when they end, and the counters cannot tell which of them were asked to be.",
      joined(names), names.size() == 1 ? "has" : "have"));
}

/// What one writer that waits for each write can reach, where flushes show that there is one, or at
/// the log device, which is for nobody else.
void about_one_writer(const WatchFigures& figures, Sentences& out) {
  for (const DiskFigures& disk : figures.disks) {
    if (!disk.write.mean_us || (figures.has_log() && !disk.is_log())) continue;
    const bool needs_none = disk.is_log() && disk.write_cache == "write through";
    if (!disk.flush.mean_us && !needs_none) continue;
    const double us = disk.flush.mean_us.value_or(0) + *disk.write.mean_us;
    if (us <= 0) continue;
    out.push_back(fmt::format(
        "{} {} at {}: one writer that waits for each gets at most {:.0f} sync writes/s from it.",
        disk.flush.mean_us ? "A write and its flush take" : "A write takes", latency(us), disk.name,
        1e6 / us));
  }
}

void about_zil(const Facts& facts, const Facts& window, const WatchFigures& figures,
               Sentences& out) {
  const Number commits = rate_of(window, "zil.commits");
  if (!commits) return;
  const Number slog = rate_of(window, "zil.slog_bytes");
  const Number normal = rate_of(window, "zil.normal_bytes");
  const Number indirect = rate_of(window, "zil.indirect_bytes");
  std::string text = fmt::format("{} ZIL commits/s", rate(*commits));
  if (slog && normal && *slog + *normal > 0) {
    std::vector<std::string> logs;
    for (const DiskFigures& disk : figures.disks) {
      if (disk.is_log()) logs.push_back(disk.name);
    }
    const double share = *slog / (*slog + *normal) * 100;
    const std::string who = logs.empty() ? "the log device" : "the log device " + joined(logs);
    if (share > 0) {
      text += fmt::format(": {} took {:.0f} % of the ZIL, {:.2f} MB/s", who, share, *slog / kMB);
    } else {
      text += fmt::format(": the pool's own disks took all of the ZIL, {:.2f} MB/s{}",
                          *normal / kMB, logs.empty() ? "" : ", and " + who + " none");
    }
  }
  out.push_back(text + ".");
  if (indirect && *indirect > 0) {
    out.push_back(fmt::format(
        "{:.2f} MB/s of sync writes went around the ZIL's blocks, straight to the data disks: "
        "{}.",
        *indirect / kMB,
        is(facts, "zfs.logbias", "throughput") ? "the dataset has logbias=throughput"
                                               : "large blocks do, and logbias=throughput"));
  }
}

void about_nfs(const Facts& window, Sentences& out) {
  const Number ops = rate_of(window, "nfs.ops");
  const Number rtt = rate_of(window, "nfs.rtt_ns");
  const Number whole = rate_of(window, "nfs.execute_ns");
  if (!ops || !rtt || !whole || *ops <= 0) return;
  const double rtt_us = *rtt / *ops / 1e3;
  const double wait_us = std::max(0.0, *whole / *ops / 1e3 - rtt_us);
  out.push_back(
      fmt::format("{} NFS reads, writes and commits/s; each takes {} at the server and on the way "
                  "there, and waits {} before it is sent.",
                  rate(*ops), latency(rtt_us), latency(wait_us)));
}

void about_disks(const WatchFigures& figures, Sentences& out) {
  constexpr double kStalled = 200 * 1e6;  // ns: two ticks of the sampler
  bool any = false;
  for (const DiskFigures& disk : figures.disks) {
    any = any || !disk.read.per_second || !disk.write.per_second || *disk.read.per_second > 0 ||
          *disk.write.per_second > 0;
    if (disk.busy_percent.value_or(0) >= 50 && disk.in_flight_mean) {
      out.push_back(
          fmt::format("{} had I/O in flight {:.0f} % of the time, {:.1f} at once on average.",
                      disk.name, *disk.busy_percent, *disk.in_flight_mean));
    }
    if (disk.longest_stall_ns.value_or(0) >= kStalled) {
      out.push_back(fmt::format("{} ended nothing for {:.1f} s although I/O was in flight.",
                                disk.name, *disk.longest_stall_ns / 1e9));
    }
  }
  if (!any && !figures.disks.empty()) {
    out.emplace_back(
        "No read or write reached the disks: the load, if there is one, stays in RAM.");
  }
}

void about_cpu(const Facts& facts, const Facts& window, Sentences& out) {
  const Number mean = fact_number(window, "cpu.mhz_mean");
  const Number most = fact_number(facts, "cpu.mhz_max");
  if (mean && most && *most > 0) {
    constexpr double kSlow = 0.7;  // of the largest frequency
    const auto governor = fact_text(facts, "cpu.governor");
    out.push_back(
        fmt::format("The cores ran at {:.1f} of {:.1f} GHz{}{}.", *mean / 1e3, *most / 1e3,
                    governor ? fmt::format(" (governor {})", display(*governor)) : "",
                    *mean < kSlow * *most ? ": each sync write pays for it above the device" : ""));
  }
  const Number deep = fact_number(window, "cpu.idle_deep_share_percent");
  const Number wake = fact_number(facts, "cpu.idle_latency_max_us");
  constexpr double kLongWake = 50;  // us: about what a fast log device needs for a write
  if (deep && wake && *deep >= 20 && *wake >= kLongWake) {
    out.push_back(fmt::format(
        "The cores slept {:.0f} % of the time in a state that takes {:.0f} us to leave.", *deep,
        *wake));
  }
  if (const Number steal = cpu_share_percent(window, "host.steal_ns"); steal && *steal >= 1) {
    out.push_back(fmt::format("The hypervisor kept {:.1f} % of the CPU time to itself.", *steal));
  }
  if (const Number psi = rate_of(window, "psi.io_some_ns"); psi && *psi >= 1e7) {
    out.push_back(fmt::format("At least one task waited for I/O {:.0f} % of the time.",
                              std::min(100.0, *psi / 1e7)));
  }
}

}  // namespace

std::vector<std::string> watch_sentences(const Facts& facts, const Facts& window) {
  const WatchFigures figures = watch_figures(facts, window);
  Sentences out;
  if (figures.seconds <= 0) return out;
  about_zil(facts, window, figures, out);
  about_flushes(facts, figures, out);
  about_write_through(figures, out);
  about_one_writer(figures, out);
  about_nfs(window, out);
  about_disks(figures, out);
  about_cpu(facts, window, out);
  return out;
}

}  // namespace sthd::app
