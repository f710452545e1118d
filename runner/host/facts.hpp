#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sthd/facts.hpp"
#include "sthd/target.hpp"

namespace sthd::host {

/// Everything known about this machine and about what lies below the target: host, CPU, clock,
/// memory, limits, mount, backing chain and its leaf disks, NFS, ZFS. What a person would look for
/// and cannot be had is there too, with its reason. Reads /proc, /sys and a few files of /etc below
/// `sysroot` ("/" = the real root), in a few milliseconds, and never touches the target. On ZFS,
/// and only below the real root, it also asks `zpool` and `zfs`; below another it reads what they
/// printed from `commands/` ("zpool-status", "zpool-get", "zfs-get").
Facts collect_facts(const std::filesystem::path& sysroot, const Target& target);

/// The target as the mounts of a `sysroot` other than the real root describe it: what lies nearest
/// above `path`, an absolute path that need not exist. Empty when nothing does.
std::optional<Target> target_below(const std::filesystem::path& sysroot, const std::string& path);

}  // namespace sthd::host
