#include "runner/app/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runner/app/explain.hpp"
#include "sthd/metrics.hpp"

namespace sthd::app {
namespace {

template <class F>
bool any_record(const Report& report, F known) {
  return std::any_of(report.records.begin(), report.records.end(), known);
}

template <class F>
bool any_loop(const Report& report, F known) {
  return any_record(report, [&](const ResultRecord& record) {
    return std::any_of(record.loops.begin(), record.loops.end(), known);
  });
}

template <class F>
bool any_result(const Report& report, F known) {
  return any_loop(report, [&](const LoopResult& loop) {
    return (loop.read && known(*loop.read)) || (loop.write && known(*loop.write));
  });
}

bool has(const Report& report, std::string_view fact) {
  const Fact* found = find_fact(report.facts, fact);
  return found != nullptr && !std::holds_alternative<std::monostate>(found->value);
}

bool counted(const Report& report, std::string_view counter) {
  return any_record(report, [&](const ResultRecord& record) {
    return counter_total(record, counter).has_value();
  });
}

bool disks_counted(const Report& report, std::string_view counter) {
  return any_record(
      report, [&](const ResultRecord& record) { return disk_total(record, counter).has_value(); });
}

/// Where there is no ZFS, there is nothing to find.
bool no_zfs(const Report& report) {
  return !report.target.filesystem.empty() && report.target.filesystem != "zfs";
}

constexpr Need kLatency{
    "latencies", [](const Report& report) {
      return any_result(report, [](const OpResult& result) { return result.lat.count() > 0; });
    }};
constexpr Need kBins{"the distribution of the latencies", [](const Report& report) {
                       return any_result(report, [](const OpResult& result) {
                         return result.lat.count() > 0 && result.lat.has_bins();
                       });
                     }};
constexpr Need kSubmission{
    "the time in submission", [](const Report& report) {
      const bool queues = any_record(
          report, [](const ResultRecord& record) { return record.job.workload.queue_depth > 1; });
      return (!queues && !report.records.empty()) ||
             any_loop(report, [](const LoopResult& loop) { return loop.submit_ns.has_value(); });
    }};
constexpr Need kCourse{
    "the course of the rate", [](const Report& report) {
      return any_result(report, [](const OpResult& result) { return !result.samples.empty(); });
    }};
constexpr Need kDirect{"whether O_DIRECT is real", [](const Report& report) {
                         return any_record(report, [](const ResultRecord& record) {
                           return record.resolution.direct_effective.has_value();
                         });
                       }};
constexpr Need kCpu{"the job's CPU time", [](const Report& report) {
                      return any_loop(report,
                                      [](const LoopResult& loop) { return loop.cpu.has_value(); });
                    }};
constexpr Need kReady{"how long the job waited for a core", [](const Report& report) {
                        return counted(report, "own.steal_ns") || counted(report, "host.steal_ns");
                      }};
constexpr Need kDiskBytes{"what the disks moved",
                          [](const Report& report) { return disks_counted(report, "read_bytes"); }};
constexpr Need kDiskTime{"the disks' own time", [](const Report& report) {
                           return disks_counted(report, "read_ticks_ns");
                         }};
constexpr Need kFlushes{"the disks' flushes",
                        [](const Report& report) { return disks_counted(report, "flush_ios"); }};
constexpr Need kStorage{"what storage served the job",
                        [](const Report& report) { return counted(report, "own.read_bytes"); }};
constexpr Need kStops{"whether the machine or the job stood still",
                      [](const Report& report) { return counted(report, "wall.stopped_ns"); }};
constexpr Need kQuota{"the cgroup's throttling",
                      [](const Report& report) { return counted(report, "cgroup.throttled_ns"); }};
constexpr Need kGovernor{"the CPU governor",
                         [](const Report& report) { return has(report, "cpu.governor"); }};
constexpr Need kIdle{"the CPU's idle states",
                     [](const Report& report) { return has(report, "cpu.idle_latency_max_us"); }};
constexpr Need kClock{"the cost of the clock",
                      [](const Report& report) { return has(report, "clock.read_ns"); }};
constexpr Need kMemory{"the size of RAM",
                       [](const Report& report) { return has(report, "memory.total_bytes"); }};
constexpr Need kMount{"the filesystem and its mount",
                      [](const Report& report) { return !report.target.filesystem.empty(); }};
constexpr Need kSpace{"how full the target is",
                      [](const Report& report) { return has(report, "target.used_percent"); }};
constexpr Need kLimits{"the target's quotas",
                       [](const Report& report) { return has(report, "target.quota"); }};
constexpr Need kWriteCache{"the disks' write cache",
                           [](const Report& report) { return has(report, "disk.0.write_cache"); }};
constexpr Need kCompression{"the target's compression", [](const Report& report) {
                              return has(report, "target.compression") ||
                                     has(report, "zfs.compression");
                            }};
constexpr Need kPool{
    "the ZFS pool", [](const Report& report) { return no_zfs(report) || has(report, "zfs.pool"); }};
constexpr Need kLog{"the ZFS intent log", [](const Report& report) {
                      return no_zfs(report) || counted(report, "zil.slog_bytes");
                    }};

const std::vector<Check>& listed() {
  static const std::vector<Check> kChecks{
      {"depth-collapsed", {&kLatency}},
      {"cached-reads-possible", {&kDirect}},
      {"cached-reads", {&kDiskBytes}},
      {"cached-writes", {&kDiskBytes}},
      {"direct-ignored", {&kDirect}},
      {"direct-refused", {&kDirect}},
      {"submit-blocked", {&kSubmission}},
      {"file-smaller-than-cache", {&kMemory}},
      {"working-set-tiny", {&kDirect}},
      {"not-steady", {&kCourse}},
      {"outliers", {&kBins}},
      {"cpu-governor", {&kGovernor}},
      {"cpu-idle-states", {&kIdle}},
      {"cpu-bound", {&kCpu}},
      {"cpu-stolen", {&kReady}},
      {"cgroup-throttled", {&kQuota}},
      {"rate-limited", {&kCourse, &kDiskTime}},
      {"foreign-load", {&kDiskBytes}},
      {"stalled", {&kStops}},
      {"sync-ignored", {&kMount}},
      {"durability-not-shown", {&kFlushes}},
      {"latency-bound", {&kLatency}},
      {"slog-confirmed", {&kLog}},
      {"slog-absent", {&kPool}},
      {"slog-bypassed", {&kLog}},
      {"log-write-indirect", {&kLog}},
      {"slog-slow-host", {&kLog, &kDiskTime}},
      {"slog-regresses-with-threads", {&kPool}},
      {"slog-slower-than-pool", {&kLog, &kDiskTime}},
      {"target-mismatch", {&kStorage, &kDiskBytes}},
      {"nearly-full", {&kSpace}},
      {"near-quota", {&kLimits}},
      {"scrub-running", {&kPool}},
      {"write-cache-volatile", {&kWriteCache}},
      {"clock-slow", {&kClock}},
      {"compressible-data", {&kCompression}},
  };
  return kChecks;
}

const std::vector<Check>& table() {
  static const std::vector<Check> kAll = [] {
    std::vector<Check> all = listed();
    for (const std::string& code : explained_codes()) {
      const bool experiment = code == "measured-effect" || code == "host-floor";
      const bool there = std::any_of(all.begin(), all.end(),
                                     [&](const Check& check) { return check.code == code; });
      if (!experiment && !there) all.push_back({code, {}});
    }
    return all;
  }();
  return kAll;
}

/// What is missing, and the checks that lack it first of all.
struct Missing {
  const Need* need;
  std::vector<std::string_view> codes;
};

std::vector<Missing> missing_in(const Report& report) {
  std::vector<Missing> missing;
  for (const Check& check : table()) {
    const auto lacks = std::find_if(check.needs.begin(), check.needs.end(),
                                    [&](const Need* need) { return !need->known(report); });
    if (lacks == check.needs.end()) continue;
    auto group = std::find_if(missing.begin(), missing.end(),
                              [&](const Missing& each) { return each.need == *lacks; });
    if (group == missing.end()) group = missing.insert(missing.end(), {*lacks, {}});
    group->codes.emplace_back(check.code);
  }
  return missing;
}

constexpr std::string_view kTitle = "unknown   ";
constexpr std::string_view kIndent = "          ";

/// "unknown   what the disks moved, the size of RAM, …", wrapped.
std::vector<std::string> wrapped(const std::vector<Missing>& missing) {
  constexpr std::size_t kWidth = 100;
  std::vector<std::string> lines;
  for (const Missing& each : missing) {
    const bool last = &each == &missing.back();
    const std::string piece = fmt::format("{}{}", each.need->words, last ? "" : ",");
    const bool fits = !lines.empty() && lines.back().size() + 1 + piece.size() <= kWidth;
    if (fits) {
      lines.back() += " " + piece;
    } else {
      lines.push_back(fmt::format("{}{}", lines.empty() ? kTitle : kIndent, piece));
    }
  }
  return lines;
}

}  // namespace

std::span<const Check> all_checks() { return table(); }

std::vector<std::string> known_lines(const Report& report, bool each) {
  const std::vector<Missing> missing = missing_in(report);
  std::size_t impossible = 0;
  for (const Missing& one : missing) impossible += one.codes.size();
  const std::size_t all = all_checks().size();
  std::vector<std::string> lines{
      fmt::format("checks    {} of {} can be made", all - impossible, all)};
  if (!each) {
    for (std::string& line : wrapped(missing)) lines.push_back(std::move(line));
    return lines;
  }
  for (const Missing& one : missing) {
    lines.push_back(fmt::format("{}{} ({})", lines.size() == 1 ? kTitle : kIndent, one.need->words,
                                fmt::join(one.codes, ", ")));
  }
  return lines;
}

}  // namespace sthd::app
