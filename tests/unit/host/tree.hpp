#pragma once

#include <filesystem>
#include <string>

#include "support/fake_context.hpp"

namespace sthd::test {

/// A sysroot: parts of /proc and /sys, written down.
class Tree {
 public:
  [[nodiscard]] const std::string& root() const { return dir_.path(); }
  Tree& put(const std::string& path, std::string_view text) {
    make_parent(path);
    dir_.put(path.substr(1), text);
    return *this;
  }
  Tree& link(const std::string& path, const std::string& target) {
    make_parent(path);
    std::filesystem::create_symlink(target, root() + path);
    return *this;
  }
  /// A whole disk as sysfs shows it: /sys/class/block/NAME and /sys/dev/block/NUMBER.
  Tree& disk(const std::string& name, const std::string& number, std::string_view stat = "") {
    return block_device("/sys/devices/pci0/block/" + name, name, number)
        .put("/sys/devices/pci0/block/" + name + "/stat", stat);
  }
  Tree& partition(const std::string& disk, const std::string& name, const std::string& number) {
    const std::string folder = "/sys/devices/pci0/block/" + disk + "/" + name;
    return block_device(folder, name, number).put(folder + "/partition", "1\n");
  }
  /// dm, md or loop; made of `slaves`.
  Tree& stacked(const std::string& name, const std::string& number,
                const std::vector<std::string>& slaves) {
    const std::string folder = "/sys/devices/virtual/block/" + name;
    block_device(folder, name, number);
    if (name.starts_with("dm-")) put(folder + "/dm/name", "given-" + name + "\n");
    if (name.starts_with("md")) put(folder + "/md/level", "raid1\n");
    for (const auto& slave : slaves) link(folder + "/slaves/" + slave, "../../" + slave);
    return *this;
  }

 private:
  Tree& block_device(const std::string& folder, const std::string& name,
                     const std::string& number) {
    std::filesystem::create_directories(root() + folder);
    const std::string up = "../.." + folder.substr(4);  // below /sys
    return link("/sys/class/block/" + name, up).link("/sys/dev/block/" + number, up);
  }
  void make_parent(const std::string& path) const {
    std::filesystem::create_directories(std::filesystem::path(root() + path).parent_path());
  }

  TempDir dir_;
};

}  // namespace sthd::test
