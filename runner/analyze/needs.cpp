#include "runner/analyze/needs.hpp"

#include <algorithm>
#include <array>

#include "sthd/metrics.hpp"

namespace sthd::analyze {
namespace {

template <class F>
bool any_record(const Report& report, F test) {
  return std::any_of(report.records.begin(), report.records.end(), test);
}

template <class F>
bool any_loop(const Report& report, F test) {
  return any_record(report, [&](const ResultRecord& record) {
    return std::any_of(record.loops.begin(), record.loops.end(), test);
  });
}

template <class F>
bool any_result(const Report& report, F test) {
  return any_loop(report, [&](const LoopResult& loop) {
    return (loop.read && test(*loop.read)) || (loop.write && test(*loop.write));
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

bool has_submission(const Report& report) {
  const bool queues = any_record(
      report, [](const ResultRecord& record) { return record.job.workload.queue_depth > 1; });
  return (!queues && !report.records.empty()) ||
         any_loop(report, [](const LoopResult& loop) { return loop.submit_ns.has_value(); });
}

struct Entry {
  Need need;
  std::string_view words;
  bool (*known)(const Report& report);
};

constexpr std::array kEntries{
    Entry{Need::latencies, "latencies",
          [](const Report& r) {
            return any_result(r, [](const OpResult& result) { return result.lat.count() > 0; });
          }},
    Entry{Need::direct, "whether O_DIRECT is real",
          [](const Report& r) {
            return any_record(r, [](const ResultRecord& record) {
              return record.resolution.direct_effective.has_value();
            });
          }},
    Entry{Need::disk_bytes, "what the disks moved",
          [](const Report& r) { return disks_counted(r, "read_bytes"); }},
    Entry{Need::submission, "the time in submission", has_submission},
    Entry{Need::memory, "the size of RAM",
          [](const Report& r) { return has(r, "memory.total_bytes"); }},
    Entry{Need::course, "the course of the rate",
          [](const Report& r) {
            return any_result(r, [](const OpResult& result) { return !result.samples.empty(); });
          }},
    Entry{Need::latency_bins, "the distribution of the latencies",
          [](const Report& r) {
            return any_result(r, [](const OpResult& result) {
              return result.lat.count() > 0 && result.lat.has_bins();
            });
          }},
    Entry{Need::governor, "the CPU governor",
          [](const Report& r) { return has(r, "cpu.governor"); }},
    Entry{Need::idle_states, "the CPU's idle states",
          [](const Report& r) { return has(r, "cpu.idle_latency_max_us"); }},
    Entry{Need::cpu_time, "the job's CPU time",
          [](const Report& r) {
            return any_loop(r, [](const LoopResult& loop) { return loop.cpu.has_value(); });
          }},
    Entry{
        Need::ready_time, "how long the job waited for a core",
        [](const Report& r) { return counted(r, "own.steal_ns") || counted(r, "host.steal_ns"); }},
    Entry{Need::cgroup, "the cgroup's throttling",
          [](const Report& r) { return counted(r, "cgroup.throttled_ns"); }},
    Entry{Need::disk_time, "the disks' own time",
          [](const Report& r) { return disks_counted(r, "read_ticks_ns"); }},
    Entry{Need::stops, "whether the machine or the job stood still",
          [](const Report& r) { return counted(r, "wall.stopped_ns"); }},
    Entry{Need::mount, "the filesystem and its mount",
          [](const Report& r) { return !r.target.filesystem.empty(); }},
    Entry{Need::flushes, "the disks' flushes",
          [](const Report& r) { return disks_counted(r, "flush_ios"); }},
    Entry{Need::intent_log, "the ZFS intent log",
          [](const Report& r) { return no_zfs(r) || counted(r, "zil.slog_bytes"); }},
    Entry{Need::pool, "the ZFS pool",
          [](const Report& r) { return no_zfs(r) || has(r, "zfs.pool"); }},
    Entry{Need::storage_bytes, "what storage served the job",
          [](const Report& r) { return counted(r, "own.read_bytes"); }},
    Entry{Need::space, "how full the target is",
          [](const Report& r) { return has(r, "target.used_percent"); }},
    Entry{Need::quotas, "the target's quotas",
          [](const Report& r) { return has(r, "target.quota"); }},
    Entry{Need::write_cache, "the disks' write cache",
          [](const Report& r) { return has(r, "disk.0.write_cache"); }},
    Entry{Need::clock, "the cost of the clock",
          [](const Report& r) { return has(r, "clock.read_ns"); }},
    Entry{Need::compression, "the target's compression", [](const Report& r) {
            return has(r, "target.compression") || has(r, "zfs.compression");
          }}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kEntries.size(); ++i) {
    if (kEntries[i].need != static_cast<Need>(i)) return false;
  }
  return kEntries.back().need == Need::compression;
}
static_assert(in_order(), "the table follows the enumerators");

const Entry& entry_of(Need need) { return kEntries[static_cast<std::size_t>(need)]; }

}  // namespace

std::string_view words(Need need) { return entry_of(need).words; }

bool known(Need need, const Report& report) { return entry_of(need).known(report); }

}  // namespace sthd::analyze
