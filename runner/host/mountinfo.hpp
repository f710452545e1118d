#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sthd::host {

/// One line of /proc/<pid>/mountinfo, escapes undone.
struct Mount {
  std::uint64_t id = 0;
  std::string device;  ///< "254:0"; major 0 = the filesystem has no block device
  std::string root;    ///< the part of the filesystem that is mounted; "/" unless a bind mount
  std::string mount_point;
  std::string options;        ///< of the mount
  std::string filesystem;     ///< "ext4", "nfs4", "fuse.sshfs"
  std::string source;         ///< device, dataset, export; may be empty
  std::string super_options;  ///< of the filesystem

  /// Both lists of options, comma-separated, without repetitions.
  [[nodiscard]] std::string all_options() const;
};

/// Every well-formed line; others are left out.
std::vector<Mount> parse_mountinfo(std::string_view text);

/// The mount with this id (from statx): a path alone cannot tell mounts stacked on one point apart.
std::optional<Mount> find_mount(std::string_view mountinfo, std::uint64_t id);

/// The mount that holds an absolute path: the longest mount point that leads to it, the last one
/// there. Points into `mounts`; null for a relative path, or where there is none.
const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path);

/// True when `option` ("data=journal") is one of a comma-separated list.
bool has_option(std::string_view options, std::string_view option);

}  // namespace sthd::host
