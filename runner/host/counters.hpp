#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sthd/facts.hpp"
#include "sthd/target.hpp"

// What kernel, devices and ZFS count, read at both ends of a measured window. Never touches the
// target.
namespace sthd::host {

/// One thing counted, under the name of the fact that its difference becomes.
struct Count {
  enum class Kind {
    sum,    ///< grows: the difference counts
    mean,   ///< grows by its value each nanosecond: the difference ÷ window counts
    level,  ///< as it is at the end
    text,   ///< a name that goes with the counts
  };
  std::string name;
  Kind kind = Kind::sum;
  std::optional<std::uint64_t> value;
  std::string text;             ///< of Kind::text
  std::string unknown_because;  ///< set where there is no value
};

/// Everything at one moment.
struct Snapshot {
  std::uint64_t monotonic_ns = 0;
  std::uint64_t boottime_ns = 0;  ///< CLOCK_BOOTTIME: goes on while the machine sleeps
  std::vector<Count> counts;
};

/// What was counted from `before` to `after`, both of the same Counters: "window_ns" first,
/// "wall.suspended_ns" last. A counter that is not there at both ends, or went backwards, is a fact
/// without a value that says so.
Facts difference(const Snapshot& before, const Snapshot& after);

/// The leaf disks below a target, as named in /sys/block: partition → disk, dm and md → what they
/// are made of, loop → the device of the backing file's filesystem, btrfs → all its devices,
/// overlay → the upper layer's. In order of discovery; empty where the filesystem has no block
/// device that the kernel tells of (tmpfs, NFS, ZFS).
std::vector<std::string> leaf_disks(const std::string& sysroot, const Target& target);

/// The leaf disks that the facts of a report name: disk.0.name, disk.1.name, …
std::vector<std::string> disk_names(const Facts& facts);

/// Knows where to read. One read() takes less than a millisecond.
class Counters {
 public:
  /// `disks` in the order of their numbers. Everything is read below `sysroot` ("" = the real
  /// root).
  Counters(std::string sysroot, const Target& target, std::vector<std::string> disks);

  [[nodiscard]] Snapshot read() const;

 private:
  std::string sysroot_;
  std::vector<std::string> disks_;
  std::string cgroup_stat_;  ///< cpu.stat of the nearest cgroup with a quota; empty = none
  bool zfs_ = false;
  std::string zil_stat_;         ///< of the dataset where the kernel has it, else of all pools
  std::string nfs_mount_point_;  ///< escaped as in mountstats; empty = no NFS
};

}  // namespace sthd::host
