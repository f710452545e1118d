#include "runner/analyze/layers.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "runner/analyze/log_device.hpp"
#include "runner/analyze/measured.hpp"
#include "runner/analyze/own_time.hpp"

namespace sthd::analyze {

namespace {

constexpr double kSeen = 0.1;      // of the whole: a wait below is wake-ups and rounding
constexpr double kOneToOne = 1.1;  // device I/Os for each of the job's, at most: they are the same

struct Lowest {
  std::string_view name;
  double mean_ns = 0;
};

double ios_of(const ResultRecord& record) {
  const auto result = merged(record, record.job.workload.op);
  return result ? static_cast<double>(result->ios) : 0;
}

/// Flushes and more than one write for each of the job's come one after the other when there is
/// one caller: then all that the disks did was waited for.
std::optional<double> serial_commit_ns(const ResultRecord& record) {
  const auto writes = disk_total(record, "write_ticks_ns");
  const auto flushes = disk_total(record, "flush_ticks_ns");
  const double ios = ios_of(record);
  if (!one_at_a_time(record) || !writes || ios == 0) return std::nullopt;
  return (*writes + flushes.value_or(0)) / ios;
}

std::optional<Lowest> on_disks(const Report& report, const ResultRecord& record) {
  const Op op = record.job.workload.op;
  const auto mean = device_mean_ns(record, op);
  if (!mean) return std::nullopt;
  if (!writes_durably(report, record)) return Lowest{"device", *mean};
  const auto serial = serial_commit_ns(record);
  const auto application = application_mean_ns(record, op);
  if (serial && application && *serial <= *application) return Lowest{"device", *serial};
  const double share = disk_total(record, "flush_ios").value_or(0) / std::max(1.0, ios_of(record));
  const double flush = device_flush_mean_ns(record).value_or(0);
  return Lowest{"device", *mean + flush * std::min(1.0, share)};
}

/// A commit is what the log device takes for it, or the data disks where there is none.
std::optional<Lowest> on_pool(const Report& report, const ResultRecord& record) {
  const auto zil = zil_of(record);
  const bool logged = zil && log_took(*zil);
  const auto mean = slowest_commit_ns(report, record, logged ? "log" : "data");
  if (!zil || !mean) return std::nullopt;
  return Lowest{logged ? "log device" : "device", *mean};
}

/// Where each I/O was one RPC. Others than the job's on the same mount count too.
std::optional<Lowest> on_server(const ResultRecord& record) {
  const auto ops = counter_total(record, "nfs.ops");
  const auto trips = counter_total(record, "nfs.rtt_ns");
  const double ios = ios_of(record);
  if (!ops || !trips || *ops <= 0 || *ops < ios / kOneToOne || *ops > ios * kOneToOne) {
    return std::nullopt;
  }
  return Lowest{"server", *trips / *ops};
}

std::optional<Lowest> lowest_of(const Report& report, const ResultRecord& record,
                                CacheClass cache) {
  if (report.target.filesystem.starts_with("nfs")) return on_server(record);
  const bool durable = writes_durably(report, record);
  if (on_zfs(report) && durable) return on_pool(report, record);
  // Nobody waits for the disks when a write goes to a cache; a zvol does not count its flushes.
  const bool waited = !writes(record) || durable || record.resolution.direct_effective == true;
  if (!waited || (durable && has_layer(report, "zfs"))) return std::nullopt;
  return cache == CacheClass::device ? on_disks(report, record) : std::nullopt;
}

/// Of the job's threads for each I/O: on a CPU, or ready and waiting for one. Only where a thread
/// has one I/O at a time, and so does nothing else meanwhile.
std::optional<double> own_ns(const Report& report, const ResultRecord& record) {
  const Workload& workload = record.job.workload;
  const double slots = static_cast<double>(workload.queue_depth) * workload.threads;
  const auto own = own_time(report, record);
  const double ios = ios_of(record);
  if (slots > workers_of(record) || !own || !own->wait_ns || ios == 0) return std::nullopt;
  return (own->cpu_ns + *own->wait_ns) / ios;
}

}  // namespace

std::vector<Layer> layers_of(const Report& report, const ResultRecord& record, CacheClass cache) {
  const auto application = application_mean_ns(record, record.job.workload.op);
  const auto lowest = lowest_of(report, record, cache);
  if (!application || !lowest) return {};
  const Layer device{std::string(lowest->name), lowest->mean_ns};
  const double above = *application - lowest->mean_ns;
  if (above < 0) return {{"application", *application}, device};
  const double wait = above - own_ns(report, record).value_or(above);
  if (wait < kSeen * *application) {
    return {{"application", *application}, {"host", above}, device};
  }
  return {{"application", *application}, {"host", above - wait}, {"wait", wait}, device};
}

std::optional<double> waited_share(const Report& report, const ResultRecord& record) {
  const auto application = application_mean_ns(record, record.job.workload.op);
  const auto lowest = lowest_of(report, record, CacheClass::device);
  if (!application || !lowest || *application <= 0) return std::nullopt;
  const double known = lowest->mean_ns + own_ns(report, record).value_or(0);
  return std::max(0.0, 1 - known / *application);
}

}  // namespace sthd::analyze
