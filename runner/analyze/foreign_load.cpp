#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kShort = 0.1;       // s: what was written before may still be on its way
constexpr double kSlight = 5e6;      // bytes a second: logs and the like of any machine
constexpr double kReadShare = 0.25;  // of the job's rate, read by others
constexpr double kWriteShare = 0.5;  // of the job's rate, written by others
// What the filesystem may write for each byte of the job: a journal's copy and commit; a tree of
// copies on write.
constexpr double kInPlace = 1;
constexpr double kJournal = 4;
constexpr double kCopies = 16;
constexpr double kRecords = 2;  // one on its way from before the window

bool in_place(const Report& report) {
  constexpr std::array<std::string_view, 5> kNames{"ext4", "ext3", "ext2", "xfs", "vfat"};
  return std::find(kNames.begin(), kNames.end(), report.target.filesystem) != kNames.end();
}

double amplification(const Report& report, const ResultRecord& record) {
  if (on_zfs(report)) {  // a record is written whole, and read for it
    const double record_size = number(report, "zfs.recordsize_bytes").value_or(128 * 1024);
    const auto block = static_cast<double>(record.job.workload.block_size);
    return std::max(kCopies, kRecords * record_size / block);
  }
  if (!in_place(report)) return kCopies;
  const bool plain = record.job.workload.sync == SyncMode::none &&
                     record.job.workload.layout == Layout::full &&
                     record.resolution.direct_effective == true;
  return plain ? kInPlace : kJournal;
}

}  // namespace

namespace rules {

/// The leaf disks moved much more than the job asked for.
std::vector<Finding> foreign_load(const Report& report) {
  return each_measured(report, [&](const ResultRecord& record) -> std::optional<Finding> {
    const auto read = device_bytes(record, Op::read);
    const auto written = device_bytes(record, Op::write);
    const double seconds = window_s(record);
    if (!read || !written || seconds < kShort) return std::nullopt;
    const double own_read = job_bytes(record, Op::read).value_or(0);
    const double own_written = job_bytes(record, Op::write).value_or(0);
    const double own = own_read + own_written;
    // RAID writes its copies and parity, and trees of copies read before they write.
    const double copies = static_cast<double>(std::max<std::size_t>(1, disk_count(record)));
    const double factor = amplification(report, record) * copies;
    const double others_wrote = *written - own_written * factor;
    const bool compares = !writes(record) || (in_place(report) && disk_count(record) == 1);
    // Buffered reads read ahead: twice what was asked for is still their own.
    const double ahead = record.resolution.direct_effective == true ? 1 : 2;
    const double others_read = compares ? *read - own_read * ahead : 0;
    const bool wrote = others_wrote > std::max(kSlight * seconds, kWriteShare * own);
    const bool reads_too = others_read > std::max(kSlight * seconds, kReadShare * own);
    if (!wrote && !reads_too) return std::nullopt;
    const double rate = ((wrote ? others_wrote : 0) + (reads_too ? others_read : 0)) / seconds;
    return Finding{
        .code = "foreign-load",
        .severity = Severity::suspect,
        .job = record.job.id,
        .op = direction(record),
        .evidence = {{"job_bytes", own},
                     {"device_read_bytes", *read},
                     {"device_write_bytes", *written}},
        .mark = "other load",
        .text = fmt::format("Likely others used the disk at the same time: it moved {:.0f} MB/s "
                            "that are not the job's.",
                            rate / 1e6),
        .remedy = "Stop the other load (`iotop -o` or `pidstat -d 1` shows it) and run it again.",
    };
  });
}

Check foreign_load_check() { return {"foreign-load", {Need::disk_bytes}}; }

}  // namespace rules

}  // namespace sthd::analyze
