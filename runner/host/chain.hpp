#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runner/host/facts_source.hpp"
#include "runner/host/mountinfo.hpp"

// Private to runner/host/facts*: what lies between a filesystem and its disks.
namespace sthd::host::facts {

struct Link {
  std::string name;    ///< "vda1", "vg-home" (as device mapper names it), "tank"
  std::string kind;    ///< partition dm luks md loop disk zram btrfs overlay zfs nfs network
  std::string detail;  ///< "raid1", the backing file, …; may be empty
  int level = 0;       ///< how many links above it lead to it
};

/// Where the data ends up, as named in /sys/block.
struct Leaf {
  std::string name;
  std::string role;  ///< data log cache special
};

/// A member of a ZFS pool.
struct Vdev {
  std::string path;  ///< "/dev/nvme0n1p2", or a file
  std::string role;  ///< as of Leaf
};

/// Goes down from filesystems and devices; each device occurs once, in order of discovery.
class ChainWalker {
 public:
  explicit ChainWalker(const Sysroot& sysroot);

  /// False when it leads to no device that the kernel tells of.
  bool filesystem(const Mount& mount);
  /// The pool of a dataset, and what it is made of.
  void pool(const std::string& name, const std::vector<Vdev>& members);

  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  /// Data disks first.
  [[nodiscard]] std::vector<Leaf> leaves() const;
  /// The UUID of the btrfs that was met first; empty = none.
  [[nodiscard]] const std::string& btrfs_id() const { return btrfs_id_; }

 private:
  /// While it lives, what is met lies one level deeper.
  struct Deeper {
    explicit Deeper(int& level) : level_(level) { ++level_; }
    ~Deeper() { --level_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    int& level_;
  };
  void add(std::string name, std::string kind, std::string detail = {});
  bool below(const Mount& mount);
  bool btrfs(const Mount& mount);
  void device(const std::string& name);
  void mapped(const std::string& name, const std::string& folder);
  bool loop(const std::string& name, const std::string& folder);
  void node(const std::string& path, std::string_view role);
  [[nodiscard]] std::string name_of_number(const std::string& number) const;
  [[nodiscard]] std::string name_of_node(const std::string& path) const;

  const Sysroot& sysroot_;
  std::vector<Mount> mounts_;
  std::vector<Link> links_;
  std::vector<Leaf> leaves_;
  std::set<std::string> seen_;
  std::string role_ = "data";
  std::string btrfs_id_;
  int depth_ = 0;
  int level_ = 0;
};

}  // namespace sthd::host::facts
