#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sthd {

enum class TargetKind { directory, file, block_device };

/// Where the work is done. Untrusted text: pass through display() before showing.
struct Target {
  std::string path;           ///< as the user gave it
  std::string resolved_path;  ///< absolute, links resolved
  TargetKind kind = TargetKind::directory;
  std::string filesystem;          ///< "ext4", "xfs", "btrfs", "zfs", "tmpfs", … empty = unknown
  std::string mount_point;         ///< empty = unknown
  std::string mount_options;       ///< mount and superblock options, comma-separated
  std::string source;              ///< device, dataset or export as mountinfo names it
  std::string filesystem_version;  ///< of a module that has its own (OpenZFS "2.3.9-1"); else empty
  std::string device;  ///< "254:0"; empty where the filesystem has no block device of its own
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> available_bytes;  ///< to this user
  std::uint32_t direct_memory_alignment = 0;     ///< bytes, from statx; 0 = not reported
  std::uint32_t direct_offset_alignment =
      0;                         ///< bytes, from statx; 0 = not reported, or no O_DIRECT
  bool direct_reported = false;  ///< statx answered STATX_DIOALIGN
};

}  // namespace sthd
