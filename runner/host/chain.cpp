#include "runner/host/chain.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sthd::host::facts {
namespace {

constexpr int kMostLevels = 16;  // a loop file on a loop file on …
constexpr std::size_t kMostDevices = 1024;
constexpr std::array<std::string_view, 8> kNetworkFilesystems{
    "cifs", "smb3", "ceph", "9p", "glusterfs", "fuse.glusterfs", "fuse.sshfs", "lustre"};

std::string folder_of(const std::string& name) { return "/sys/class/block/" + name; }

std::string kind_of_disk(const std::string& name) {
  if (name.starts_with("zram")) return "zram";
  if (name.starts_with("nbd") || name.starts_with("rbd")) return "network";
  if (name.starts_with("zd")) return "zfs";
  return "disk";
}

}  // namespace

ChainWalker::ChainWalker(const Sysroot& sysroot)
    : sysroot_(sysroot), mounts_(parse_mountinfo(sysroot.text("/proc/self/mountinfo"))) {}

void ChainWalker::add(std::string name, std::string kind, std::string detail) {
  links_.push_back({std::move(name), std::move(kind), std::move(detail), level_});
}

bool ChainWalker::filesystem(const Mount& mount) {
  if (depth_ == kMostLevels) return false;
  ++depth_;
  const bool led = below(mount);
  --depth_;
  return led;
}

bool ChainWalker::below(const Mount& mount) {
  const std::string options = mount.all_options();
  if (mount.filesystem == "btrfs") return btrfs(mount);
  if (mount.filesystem == "overlay") {
    const std::string upper = option_value(options, "upperdir");
    add(mount.source, "overlay", upper);
    const Mount* under = mount_of(mounts_, upper);
    const Deeper deeper(level_);
    return under != nullptr && filesystem(*under);
  }
  if (mount.filesystem == "nfs" || mount.filesystem == "nfs4") {
    add(mount.source, "nfs");
    return false;
  }
  if (std::ranges::find(kNetworkFilesystems, mount.filesystem) != kNetworkFilesystems.end()) {
    add(mount.source, "network", mount.filesystem);
    return false;
  }
  const std::string name = name_of_number(mount.device);
  if (name.empty()) return false;
  device(name);
  node(option_value(options, "logdev"), "log");        // XFS
  node(option_value(options, "journal_path"), "log");  // ext4
  return true;
}

bool ChainWalker::btrfs(const Mount& mount) {
  std::string name = name_of_number(mount.device);
  if (name.empty()) name = name_of_node(mount.source);
  for (const std::string& id : sysroot_.names("/sys/fs/btrfs")) {
    const auto devices = sysroot_.names("/sys/fs/btrfs/" + id + "/devices");
    if (std::ranges::find(devices, name) == devices.end()) continue;
    if (btrfs_id_.empty()) btrfs_id_ = id;
    const std::string label = sysroot_.line("/sys/fs/btrfs/" + id + "/label");
    add(label.empty() ? id : label, "btrfs",
        devices.size() == 1 ? "1 device" : std::to_string(devices.size()) + " devices");
    const Deeper deeper(level_);
    for (const std::string& each : devices) device(each);
    return true;
  }
  if (!name.empty()) device(name);
  return !name.empty();
}

void ChainWalker::pool(const std::string& name, const std::vector<Vdev>& members) {
  add(name, "zfs");
  const Deeper deeper(level_);
  for (const Vdev& member : members) node(member.path, member.role);
}

void ChainWalker::device(const std::string& name) {
  if (seen_.size() >= kMostDevices || !seen_.insert(name).second) return;
  const std::string folder = folder_of(name);
  if (sysroot_.exists(folder + "/partition")) {
    add(name, "partition");
    const Deeper deeper(level_);
    const auto whole = sysroot_.link(folder).parent_path().filename();  // …/block/vda/vda1
    return whole.empty() ? leaves_.push_back({name, role_}) : device(whole.string());
  }
  if (sysroot_.exists(folder + "/dm") || sysroot_.exists(folder + "/md")) {
    return mapped(name, folder);
  }
  if (loop(name, folder)) return;
  add(name, kind_of_disk(name));
  leaves_.push_back({name, role_});
}

/// Device mapper or RAID: made of its slaves.
void ChainWalker::mapped(const std::string& name, const std::string& folder) {
  const std::string uuid = sysroot_.line(folder + "/dm/uuid");
  const std::string given = sysroot_.line(folder + "/dm/name");
  const std::string level = sysroot_.line(folder + "/md/level");
  if (!level.empty()) {
    add(name, "md", level);
  } else {
    add(given.empty() ? name : given, uuid.starts_with("CRYPT-") ? "luks" : "dm",
        uuid.substr(0, uuid.find('-', uuid.starts_with("CRYPT-") ? 6 : 0)));
  }
  const auto parts = sysroot_.names(folder + "/slaves");
  const Deeper deeper(level_);
  for (const std::string& part : parts) device(part);
  if (parts.empty()) leaves_.push_back({name, role_});
}

bool ChainWalker::loop(const std::string& name, const std::string& folder) {
  const std::string file = sysroot_.line(folder + "/loop/backing_file");
  if (file.empty()) return false;
  add(name, "loop", file);
  const Mount* under = mount_of(mounts_, file);
  const Deeper deeper(level_);
  // Where RAM, FUSE or a server holds the file, the loop device itself is what can be counted.
  if (under == nullptr || !filesystem(*under)) leaves_.push_back({name, role_});
  return true;
}

/// A device, or a file used as one.
void ChainWalker::node(const std::string& path, std::string_view role) {
  if (path.empty()) return;
  const std::string before = std::exchange(role_, std::string(role));
  const std::string name = name_of_node(path);
  if (sysroot_.exists(folder_of(name))) {
    device(name);
  } else if (const Mount* under = path.starts_with("/dev/") ? nullptr : mount_of(mounts_, path)) {
    filesystem(*under);
  }
  role_ = before;
}

/// "vda1" of "254:1".
std::string ChainWalker::name_of_number(const std::string& number) const {
  if (number.empty() || number.starts_with("0:")) return {};
  return sysroot_.link("/sys/dev/block/" + number).filename().string();
}

/// "dm-0" of "/dev/mapper/vg-home", "sda1" of "/dev/sda1".
std::string ChainWalker::name_of_node(const std::string& path) const {
  constexpr std::string_view kMapper = "/dev/mapper/";
  if (path.starts_with(kMapper)) {
    for (const auto& name : sysroot_.names("/sys/class/block")) {
      if (!name.starts_with("dm-")) continue;
      if (sysroot_.line(folder_of(name) + "/dm/name") == path.substr(kMapper.size())) return name;
    }
  }
  if (!path.starts_with("/dev/")) return {};
  if (const auto link = sysroot_.link(path); !link.empty()) return link.filename().string();
  std::string name = path.substr(5);
  std::replace(name.begin(), name.end(), '/', '!');  // as sysfs writes it
  return name;
}

std::vector<Leaf> ChainWalker::leaves() const {
  std::vector<Leaf> sorted = leaves_;
  std::ranges::stable_partition(sorted, [](const Leaf& leaf) { return leaf.role == "data"; });
  return sorted;
}

}  // namespace sthd::host::facts
