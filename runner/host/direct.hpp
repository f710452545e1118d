#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sthd/job.hpp"
#include "sthd/result.hpp"
#include "sthd/target.hpp"

// Called in a short-lived child of the keeper.
namespace sthd::host {

struct DirectVerdict {
  bool works = false;        ///< open(O_DIRECT) and a tiny direct write and read succeeded
  std::optional<bool> real;  ///< it goes past the page cache (or ARC); empty = cannot be told
  std::string reason;        ///< one clause: "ext4: direct I/O past the page cache", "tmpfs keeps
                             ///< everything in RAM", …
};

/// Tries O_DIRECT on the test file (`fd` is open for reading and writing, owned by the caller; its
/// first 1 MiB may be overwritten) and then asks whether it meant anything: statx alignment,
/// filesystem, its version and options, residency after a direct write. `target` is updated with
/// the file's own alignments (statx of the file).
DirectVerdict judge_direct(int fd, Target& target);

/// Pages of [0, size) of `fd` in the page cache, in bytes (cachestat, else mincore); empty = cannot
/// be told.
std::optional<std::uint64_t> resident_bytes(int fd, std::uint64_t size);

/// Brings the front `workload.size` bytes of the test file into the declared cache state before a
/// loop. cold: fdatasync + POSIX_FADV_DONTNEED, verified by residency; an Error (unavailable) where
/// that cannot work and the job reads through the cache (tmpfs, ZFS's ARC); warm: read once through
/// the cache; as_is: nothing.
Outcome<CacheState> reach_cache_state(int fd, const Workload& workload, const Target& target,
                                      bool direct);

}  // namespace sthd::host
