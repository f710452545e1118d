#include <algorithm>
#include <array>
#include <cstdlib>

#include "runner/host/facts_layers.hpp"
#include "runner/host/mountinfo.hpp"

// What the mount and its filesystem say about the target. Nothing of it is opened.
namespace sthd::host::facts {
namespace {

/// Filesystems that write in place and neither compress nor checksum data.
bool is_plain(std::string_view filesystem) {
  static constexpr std::array<std::string_view, 8> kPlain{"ext2", "ext3",  "ext4", "xfs",
                                                          "jfs",  "tmpfs", "vfat", "exfat"};
  return std::ranges::find(kPlain, filesystem) != kPlain.end();
}

bool has_any(const std::string& options, std::initializer_list<std::string_view> wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](std::string_view one) { return has_option(options, one); });
}

std::string compression(const Target& target, const ZfsState& zfs) {
  const std::string& options = target.mount_options;
  if (target.filesystem == "zfs") {
    std::string value = zfs.property("compression");
    if (value.empty() || value == "off") return value;
    return value == "on" ? "on" : "on (" + value + ")";
  }
  if (target.filesystem == "btrfs") {
    for (const char* key : {"compress", "compress-force"}) {
      const std::string value = option_value(options, key);
      if (!value.empty()) return value == "no" || value == "none" ? "off" : "on (" + value + ")";
    }
    return has_any(options, {"compress", "compress-force"}) ? "on" : "off";
  }
  return is_plain(target.filesystem) ? "off" : "";
}

std::string copies_on_write(const Target& target) {
  if (target.filesystem == "zfs" || target.filesystem == "bcachefs") return "yes";
  if (target.filesystem == "btrfs")
    return has_option(target.mount_options, "nodatacow") ? "no" : "yes";
  return is_plain(target.filesystem) ? "no" : "";
}

std::string barrier(const Target& target) {
  static constexpr std::array<std::string_view, 4> kFlushing{"ext3", "ext4", "xfs", "btrfs"};
  if (std::ranges::find(kFlushing, target.filesystem) == kFlushing.end()) return "";
  return has_any(target.mount_options, {"nobarrier", "barrier=0"}) ? "off" : "on";
}

struct Quota {
  std::string what;
  std::optional<double> left;
  std::string unknown_because;
};

/// The qgroup of the mounted subvolume, as sysfs shows it since Linux 5.9.
Quota btrfs_quota(const Sysroot& sysroot, const Target& target, const std::string& id) {
  constexpr unsigned long kReferenced = 1;  // bits of limit_flags
  constexpr unsigned long kExclusive = 2;
  const std::string subvolume = option_value(target.mount_options, "subvolid");
  const std::string folder = "/sys/fs/btrfs/" + id + "/qgroups/0_" + subvolume;
  if (id.empty() || subvolume.empty() || !sysroot.exists(folder)) return {"none", {}, {}};
  const auto flags = std::strtoul(sysroot.line(folder + "/limit_flags").c_str(), nullptr, 0);
  Quota quota{"none", {}, {}};
  for (const auto& [bit, name] :
       {std::pair{kReferenced, "referenced"}, {kExclusive, "exclusive"}}) {
    if ((flags & bit) == 0) continue;
    const auto limit = sysroot.number(folder + "/max_" + name);
    const auto used = sysroot.number(folder + "/" + name);
    if (!limit || !used) continue;
    const double left = std::max(0.0, *limit - *used);
    if (quota.left && *quota.left <= left) continue;
    quota = {"btrfs qgroup 0/" + subvolume, left, {}};
  }
  return quota;
}

Quota zfs_quota(const ZfsState& zfs) {
  if (!zfs.dataset_fault.empty()) return {"", {}, zfs.dataset_fault};
  Quota quota{"none", {}, {}};
  for (const char* name : {"quota", "refquota"}) {
    if (leading_number(zfs.property(name)).value_or(0) <= 0) continue;
    quota.what = name;
    quota.left = leading_number(zfs.property("available"));
  }
  return quota;
}

Quota quota_of(const Sysroot& sysroot, const Target& target, const ZfsState& zfs,
               const ChainWalker& chain) {
  if (target.filesystem == "zfs") return zfs_quota(zfs);
  if (target.filesystem == "btrfs") return btrfs_quota(sysroot, target, chain.btrfs_id());
  if (has_any(target.mount_options, {"usrquota", "grpquota", "prjquota", "uquota", "gquota",
                                     "pquota", "quota", "usrjquota", "grpjquota"})) {
    return {"", {}, "user, group and project quotas are not read"};
  }
  return is_plain(target.filesystem) ? Quota{"none", {}, {}}
                                     : Quota{"", {}, "this filesystem's quotas are not read"};
}

std::optional<double> as_number(const std::optional<std::uint64_t>& bytes) {
  return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
}

void add_space(const Target& target, FactList& out) {
  constexpr std::string_view kNone = "the filesystem does not tell its size";
  out.number("target.total_bytes", as_number(target.total_bytes), kNone);
  out.number("target.available_bytes", as_number(target.available_bytes), kNone);
  std::optional<double> used;
  if (target.total_bytes && target.available_bytes && *target.total_bytes > 0) {
    const auto total = static_cast<double>(*target.total_bytes);
    used = std::max(0.0, 100 * (1 - static_cast<double>(*target.available_bytes) / total));
  }
  out.number("target.used_percent", used, kNone);
}

}  // namespace

void add_target(const Sysroot& sysroot, const Target& target, const ZfsState& zfs,
                const ChainWalker& chain, FactList& out) {
  constexpr std::string_view kNoMount = "its mount is not in /proc/self/mountinfo";
  const std::string untold = target.filesystem.empty()
                                 ? "the filesystem is not known"
                                 : "\"" + target.filesystem + "\" does not tell";
  out.text("target.path", target.path);
  out.text("target.filesystem", target.filesystem, kNoMount);
  out.text("target.mount_point", target.mount_point, kNoMount);
  out.text("target.mount_options", target.mount_options, kNoMount);
  out.text("target.source", target.source, kNoMount);
  add_space(target, out);
  out.text("target.compression", compression(target, zfs),
           zfs.dataset_fault.empty() ? untold : zfs.dataset_fault);
  out.text("target.cow", copies_on_write(target), untold);
  const Quota quota = quota_of(sysroot, target, zfs, chain);
  out.text("target.quota", quota.what, quota.unknown_because);
  if (quota.what != "none") {
    out.number("target.quota_left_bytes", quota.left,
               quota.what.empty() ? quota.unknown_because : "the filesystem does not tell");
  }
  out.text("target.barrier", barrier(target));
  const auto alignment = [&](std::uint32_t bytes) {
    return bytes > 0 ? std::optional<double>(bytes) : std::nullopt;
  };
  const char* unaligned = target.direct_reported ? "there is no O_DIRECT" : "statx does not tell";
  out.number("target.direct_memory_alignment_bytes", alignment(target.direct_memory_alignment),
             unaligned);
  out.number("target.direct_offset_alignment_bytes", alignment(target.direct_offset_alignment),
             unaligned);
  if (target.filesystem == "ext3" || target.filesystem == "ext4") {
    const std::string mode = option_value(target.mount_options, "data");
    out.text("target.data_mode", mode.empty() ? "ordered" : mode);
  }
  if (target.filesystem == "btrfs") {
    const bool off = has_any(target.mount_options, {"nodatasum", "nodatacow"});
    out.text("target.checksums", off ? "off" : "on");
  }
}

}  // namespace sthd::host::facts
