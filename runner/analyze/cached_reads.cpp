#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/ram_reads.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kMostly = 0.5;  // from here on the figure is RAM's rather than the device's
constexpr double kPartly = 0.1;  // below, a readahead or a few hot blocks may explain it

struct Cached {
  double share;  ///< of the reads that no device served
  bool certain;  ///< by the devices' own counters
  std::vector<Evidence> evidence;
};

/// The ARC's demand reads of the whole machine: likely ours, not surely.
std::optional<Cached> by_arc(const Report& report, const ResultRecord& record) {
  const auto hits = counter_total(record, "arc.demand_data_hits");
  const auto misses = counter_total(record, "arc.demand_data_misses");
  constexpr double kFew = 100;
  if (!on_zfs(report) || record.resolution.direct_effective == true || !hits || !misses ||
      *hits + *misses < kFew) {
    return std::nullopt;
  }
  return Cached{*hits / (*hits + *misses),
                false,
                {{"arc_demand_data_hits", *hits}, {"arc_demand_data_misses", *misses}}};
}

std::optional<Cached> cached(const Report& report, const ResultRecord& record) {
  if (may_vanish(report, record)) return std::nullopt;
  const auto share = device_share(record, Op::read);
  if (!share) return by_arc(report, record);
  const double served =
      storage_read_bytes(report, record).value_or(0) / *job_bytes(record, Op::read);
  Cached found{1 - std::min(1.0, std::max(*share, served)),
               true,
               {{"job_read_bytes", *job_bytes(record, Op::read)},
                {"device_read_bytes", *device_bytes(record, Op::read)}}};
  const auto hits = counter_total(record, "arc.demand_data_hits");
  if (hits) found.evidence.push_back({"arc_demand_data_hits", *hits});
  return found;
}

std::string text(const Report& report, const ResultRecord& record, const Cached& found) {
  const double percent = found.share * 100;
  if (!found.certain) {
    return fmt::format("Likely {:.0f} % of the reads came from the ARC, which is RAM.", percent);
  }
  if (record.resolution.direct_effective == true) {
    return fmt::format(
        "{:.0f} % of the reads never reached the device, though O_DIRECT was used: the blocks were "
        "never written, or a layer in between has a cache.",
        percent);
  }
  return fmt::format("{:.0f} % of the reads never reached the device: they came from {}.", percent,
                     on_zfs(report) ? "the ARC, which is RAM" : "RAM");
}

}  // namespace

namespace rules {

/// Reads came from RAM: the devices moved far fewer bytes than the job did, or the ARC says so.
std::vector<Finding> cached_reads(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    if (!reads(record)) return std::nullopt;
    auto found = cached(report, record);
    if (!found || found->share < kPartly) return std::nullopt;
    // A warm cache is what the job asked for: its row is about RAM, and the mark says so.
    const bool meant = record.job.workload.cache == CacheMode::warm;
    return Finding{
        .code = "cached-reads",
        .severity = meant                     ? Severity::note
                    : found->share >= kMostly ? Severity::invalidates
                                              : Severity::suspect,
        .job = record.job.id,
        .op = Op::read,
        .evidence = std::move(found->evidence),
        .mark =
            fmt::format("{}{:.0f} % from RAM", found->certain ? "" : "likely ", found->share * 100),
        .text = text(report, record, *found),
        .remedy = remedy_for_ram_reads(report, record),
    };
  });
}

Check cached_reads_check() { return {"cached-reads", {Need::disk_bytes}}; }

}  // namespace rules

}  // namespace sthd::analyze
