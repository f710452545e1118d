#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runner/host/direct.hpp"

namespace sthd::host {

/// What a tiny direct write showed; judged apart from how it was found out.
struct DirectEvidence {
  std::optional<double> cached_share;  ///< of the bytes just written directly, still in page cache
  bool checksums = true;               ///< btrfs: data of this file is checksummed
  bool compressed = false;             ///< btrfs: data of this file may be compressed
  std::string kernel;                  ///< uname -r
  std::optional<std::uint64_t> zfs_direct_writes;  ///< rise of the pool's direct_write_count
  std::uint64_t record_size = 0;                   ///< ZFS: bytes of a record; 0 = unknown
};

/// Whether O_DIRECT, which works, means anything: `real` and `reason` of a DirectVerdict.
DirectVerdict judge_evidence(const Target& target, const DirectEvidence& evidence);

/// Files of this kind live in memory alone (tmpfs, ramfs).
bool keeps_files_in_ram(const Target& target);

/// Another machine or another program keeps the data: nfs, cifs, fuse, 9p …
bool is_served_by_others(const Target& target);

}  // namespace sthd::host
