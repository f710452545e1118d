#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sample_report.hpp"

// Reports with facts and counters, for the rules that read those.
namespace sthd::analyze::test {

inline void fact(Report& report, std::string name, double value) {
  report.facts.push_back({std::move(name), value, {}});
}
inline void fact(Report& report, std::string name, const char* text) {
  report.facts.push_back({std::move(name), std::string(text), {}});
}
/// A counter of the record's first loop.
inline void count(ResultRecord& record, std::string name, double value) {
  record.loops.at(0).counters.push_back({std::move(name), value, {}});
}

struct DiskCounts {
  double read_ios = 0, read_bytes = 0, read_ns = 0;     ///< the mean of one, ns
  double write_ios = 0, write_bytes = 0, write_ns = 0;  ///< the same
  double flush_ios = 0, flush_ns = 0;                   ///< the same
};

inline void count_disk(ResultRecord& record, int number, const std::string& name,
                       const DiskCounts& disk) {
  const std::string key = "disk." + std::to_string(number) + ".";
  record.loops.at(0).counters.push_back({key + "name", name, {}});
  for (const auto& [counter, value] : std::vector<std::pair<const char*, double>>{
           {"read_ios", disk.read_ios},
           {"read_bytes", disk.read_bytes},
           {"read_ticks_ns", disk.read_ios * disk.read_ns},
           {"write_ios", disk.write_ios},
           {"write_bytes", disk.write_bytes},
           {"write_ticks_ns", disk.write_ios * disk.write_ns},
           {"flush_ios", disk.flush_ios},
           {"flush_ticks_ns", disk.flush_ios * disk.flush_ns}}) {
    count(record, key + counter, value);
  }
}

/// disk.N.name, its role, and that its cache is volatile.
inline void name_disk(Report& report, int number, const char* name, const char* role = "data") {
  const std::string key = "disk." + std::to_string(number) + ".";
  fact(report, key + "name", name);
  fact(report, key + "role", role);
  fact(report, key + "write_cache", "write back");
  fact(report, key + "fua", "no");
}

/// A time series with so many I/Os in each slice of 100 ms.
inline void series(ResultRecord& record, const std::vector<std::uint64_t>& ios) {
  OpResult& result = record.loops.at(0).read ? *record.loops[0].read : *record.loops[0].write;
  std::uint64_t at = 0;
  for (const std::uint64_t each : ios) {
    Sample sample;
    sample.at_ns = at += 100 * kMillisecond;
    sample.ios = each;
    result.samples.push_back(sample);
  }
}

/// The one finding of that code; the test fails where there is none, or another.
inline Finding only(const Report& report, std::string_view code) {
  const std::vector<Finding> found = said(report, code);
  return found.size() == 1 ? found[0] : Finding{.code = std::to_string(found.size()) + " found"};
}

/// "suspect j write [mark] text | remedy"
inline std::string line(const Finding& finding) {
  std::string out(to_text(finding.severity));
  if (!finding.job.empty()) out += " " + finding.job;
  if (finding.op) out += " " + std::string(to_text(*finding.op));
  if (!finding.mark.empty()) out += " [" + finding.mark + "]";
  return out + " " + finding.text + (finding.remedy.empty() ? "" : " | " + finding.remedy);
}
inline std::string line(const Report& report, std::string_view code) {
  return line(only(report, code));
}
inline std::string line(const ResultRecord& record, std::string_view code) {
  return line(report_of({record}), code);
}
inline bool silent(const Report& report, std::string_view code) {
  return said(report, code).empty();
}
inline bool silent(const ResultRecord& record, std::string_view code) {
  return silent(report_of({record}), code);
}

/// A durable 4 KiB write job of one thread: `ios` writes of `lat_ns` each in 1 s.
inline ResultRecord durable(std::uint64_t ios, std::uint64_t lat_ns) {
  ResultRecord record = measured(Op::write, 1, 1, ios, lat_ns);
  record.job.workload.sync = SyncMode::o_sync;
  record.job.workload.direct = DirectMode::off;
  record.resolution.direct_effective = false;
  return record;
}

/// A pool "tank" with data disks sda and sdb, and sdc as log where there is one.
inline Report on_pool(std::vector<ResultRecord> records, bool log = true) {
  Report report = report_of(std::move(records));
  report.target.filesystem = "zfs";
  fact(report, "zfs.pool", "tank");
  fact(report, "zfs.dataset", "tank/ds");
  fact(report, "zfs.data.0.name", "sda");
  fact(report, "zfs.data.1.name", "sdb");
  name_disk(report, 0, "sda");
  name_disk(report, 1, "sdb");
  if (log) {
    fact(report, "zfs.log.0.name", "sdc");
    name_disk(report, 2, "sdc", "log");
  }
  return report;
}

inline void count_zil(ResultRecord& record, double log, double pool, double indirect) {
  count(record, "zil.slog_bytes", log);
  count(record, "zil.normal_bytes", pool);
  count(record, "zil.indirect_bytes", indirect);
}

}  // namespace sthd::analyze::test
