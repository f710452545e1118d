#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/ram_reads.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze::rules {

/// The disk's own cache is volatile: each durable write needs a flush of it.
std::vector<Finding> write_cache_volatile(const Report& report) {
  const bool asked =
      std::any_of(report.records.begin(), report.records.end(), [&](const ResultRecord& record) {
        return record.status == Status::ok && writes_durably(report, record);
      });
  const bool zvol = has_layer(report, "zfs") && !on_zfs(report);  // its cache is the pool's log
  if (!asked || zvol || is_ram(report.target)) return {};
  // With a log device it is that one whose cache the commits wait for.
  std::vector<std::size_t> disks = disks_of(report, "log");
  if (disks.empty()) disks = disks_of(report, "data");
  std::vector<std::string> names;
  for (const std::size_t disk : disks) {
    if (word(report, disk_key(disk, "write_cache")) != "write back") continue;
    if (word(report, disk_key(disk, "transport")) == "ram") continue;
    names.push_back(display(word(report, disk_key(disk, "name"))));
  }
  if (names.empty()) return {};
  return {Finding{
      .code = "write-cache-volatile",
      .severity = Severity::note,
      .evidence = {{"disks", fmt::format("{}", fmt::join(names, " "))}},
      .text = fmt::format("The write cache of {} is volatile, so each durable write costs a flush.",
                          fmt::join(names, ", ")),
      .remedy = "A drive with power-loss protection needs none; never switch the flushes off "
                "instead.",
  }};
}

Check write_cache_volatile_check() { return {"write-cache-volatile", {Need::write_cache}}; }

}  // namespace sthd::analyze::rules
