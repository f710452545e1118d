#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// System calls that are newer than the C library's headers, with the numbers and layouts of the
// kernel's own interface. Each answers "nothing" where the kernel, or a sandbox, does not offer it.
namespace sthd::host {

/// What statx tells about an open file beyond fstat.
struct FileFacts {
  std::optional<std::uint64_t> mount_id;
  bool direct_reported = false;               ///< the filesystem answered STATX_DIOALIGN
  std::uint32_t direct_memory_alignment = 0;  ///< bytes
  std::uint32_t direct_offset_alignment = 0;  ///< bytes; 0 although reported = no O_DIRECT
};

/// Never fails: what cannot be had is empty. The mount's id falls back to /proc/self/fdinfo.
FileFacts file_facts(int fd);

/// Bytes of [0, size) in the page cache by cachestat(2), Linux 6.5.
std::optional<std::uint64_t> cachestat_bytes(int fd, std::uint64_t size);

/// The same by mincore(2) on a mapping.
std::optional<std::uint64_t> mincore_bytes(int fd, std::uint64_t size);

/// f_type of the file's filesystem; empty when it does not answer.
std::optional<std::uint64_t> filesystem_magic(int fd);

/// "ext4" for its magic number; "" when it is not one we know.
std::string_view filesystem_name(std::uint64_t magic);

/// The text of a small file of /proc or /sys, at most 1 MiB; empty when it cannot be read.
std::string read_small_file(const std::string& path);

}  // namespace sthd::host
