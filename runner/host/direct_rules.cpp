#include "runner/host/direct_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "runner/host/mountinfo.hpp"

namespace sthd::host {
namespace {

/// Above this share of the pages just written "directly", they went through the cache.
constexpr double kCachedShare = 0.5;

using Version = std::pair<unsigned, unsigned>;

/// "6.18.44-generic", "2.3.9-1", "v2.2.2" -> {major, minor}; {0, 0} when it is none.
Version parse_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  Version version{0, 0};
  const char* const end = text.data() + text.size();
  const auto [dot, code] = std::from_chars(text.data(), end, version.first);
  if (code != std::errc{} || dot == end || *dot != '.') return {0, 0};
  if (std::from_chars(dot + 1, end, version.second).ec != std::errc{}) return {0, 0};
  return version;
}

DirectVerdict verdict(std::optional<bool> real, std::string reason) {
  return {.works = true, .real = real, .reason = std::move(reason)};
}

DirectVerdict judge_zfs(const Target& target, const DirectEvidence& evidence) {
  const Version version = parse_version(target.filesystem_version);
  if (version == Version{0, 0}) {
    return verdict(std::nullopt,
                   "the version of OpenZFS is not known, and up to 2.2 it ignores O_DIRECT");
  }
  const std::string name = fmt::format("OpenZFS {}", target.filesystem_version);
  if (version < Version{2, 3}) return verdict(false, name + " accepts O_DIRECT and ignores it");
  if (evidence.zfs_direct_writes && *evidence.zfs_direct_writes == 0) {
    return verdict(false, name + " wrote through the ARC: the dataset has direct=disabled");
  }
  const std::string records = evidence.record_size == 0
                                  ? std::string("whole records")
                                  : fmt::format("whole records of {} bytes", evidence.record_size);
  return verdict(
      std::nullopt,
      fmt::format("{} writes only {} past the ARC, smaller pieces through it", name, records));
}

DirectVerdict judge_btrfs(const DirectEvidence& evidence) {
  if (evidence.compressed) {
    return verdict(false, "btrfs buffers direct writes of files that it compresses");
  }
  if (!evidence.checksums) {
    return verdict(true, "btrfs without data checksums: direct I/O past the page cache");
  }
  // Since 6.15, and in stable kernels that took the change over, direct writes of checksummed data
  // are buffered; later ones may copy them aside instead.
  const Version kernel = parse_version(evidence.kernel);
  if (kernel >= Version{6, 14} && kernel < Version{7, 0}) {
    return verdict(false, "btrfs with data checksums buffers direct writes");
  }
  return verdict(std::nullopt,
                 "btrfs with data checksums buffers direct writes on some kernels, and this "
                 "one's " +
                     (evidence.kernel.empty() ? "version" : evidence.kernel) + " does not tell");
}

/// Filesystems that write to a local block device of their own and do direct I/O by themselves.
bool is_plain_disk_filesystem(const Target& target) {
  constexpr std::array<std::string_view, 6> kNames{"ext2", "ext3", "ext4", "xfs", "f2fs", "jfs"};
  return std::ranges::find(kNames, target.filesystem) != kNames.end();
}

}  // namespace

bool keeps_files_in_ram(const Target& target) {
  return target.filesystem == "tmpfs" || target.filesystem == "ramfs" ||
         target.filesystem == "hugetlbfs";
}

bool is_served_by_others(const Target& target) {
  constexpr std::array<std::string_view, 13> kNames{"nfs", "nfs4",     "cifs",   "smb3",   "smbfs",
                                                    "9p",  "virtiofs", "ceph",   "lustre", "gpfs",
                                                    "afs", "fuse",     "fuseblk"};
  return target.filesystem.starts_with("fuse.") ||
         std::ranges::find(kNames, target.filesystem) != kNames.end();
}

DirectVerdict judge_evidence(const Target& target, const DirectEvidence& evidence) {
  const std::string name = target.filesystem.empty() ? "this filesystem" : target.filesystem;
  if (keeps_files_in_ram(target)) return verdict(false, name + " keeps its files in RAM");
  if (target.filesystem == "zfs") return judge_zfs(target, evidence);
  if (target.filesystem.starts_with("ext") && has_option(target.mount_options, "data=journal")) {
    return verdict(false, name + " with data=journal buffers direct I/O");
  }
  if (target.direct_reported && target.direct_offset_alignment == 0) {
    return verdict(false, name + " reports that this file has no direct I/O");
  }
  if (evidence.cached_share && *evidence.cached_share > kCachedShare) {
    return verdict(false, name + " kept the pages of a direct write in RAM");
  }
  if (target.filesystem == "btrfs") return judge_btrfs(evidence);
  if (target.filesystem == "overlay") {
    return verdict(std::nullopt, "overlay passes direct I/O on to a layer that is not known");
  }
  if (is_served_by_others(target)) {
    return verdict(std::nullopt,
                   name +
                       " goes past this machine's page cache, and what serves it may have its "
                       "own");
  }
  if (is_plain_disk_filesystem(target) || target.direct_offset_alignment > 0) {
    return verdict(true, name + ": direct I/O past the page cache");
  }
  return verdict(std::nullopt, name + " does not tell whether direct I/O is real");
}

}  // namespace sthd::host
