#include <string>
#include <vector>

#include "runner/host/counters.hpp"
#include "support/catch.hpp"
#include "tree.hpp"

using sthd::Target;
using sthd::host::leaf_disks;
using sthd::test::Tree;

namespace {

using Names = std::vector<std::string>;

Target on(std::string filesystem, std::string device, std::string source = "",
          std::string options = "") {
  Target target;
  target.filesystem = std::move(filesystem);
  target.device = std::move(device);
  target.source = std::move(source);
  target.mount_options = std::move(options);
  return target;
}

}  // namespace

TEST_CASE("A whole disk is its own leaf, and a partition leads to its disk", "[host][leaf]") {
  Tree tree;
  tree.disk("nvme0n1", "259:0").partition("nvme0n1", "nvme0n1p2", "259:2").disk("vda", "254:0");
  CHECK(leaf_disks(tree.root(), on("ext4", "254:0")) == Names{"vda"});
  CHECK(leaf_disks(tree.root(), on("xfs", "259:2")) == Names{"nvme0n1"});
}

TEST_CASE("LVM on LUKS on RAID leads to every disk of the RAID, each once", "[host][leaf]") {
  Tree tree;
  tree.disk("sda", "8:0").partition("sda", "sda1", "8:1").partition("sda", "sda2", "8:2");
  tree.disk("sdb", "8:16").partition("sdb", "sdb1", "8:17");
  tree.stacked("md0", "9:0", {"sda1", "sdb1", "sda2"});
  tree.stacked("dm-0", "253:0", {"md0"}).stacked("dm-1", "253:1", {"dm-0"});
  CHECK(leaf_disks(tree.root(), on("ext4", "253:1")) == Names{"sda", "sdb"});
}

TEST_CASE("A loop device leads to the disk of its backing file", "[host][leaf]") {
  Tree tree;
  tree.disk("vda", "254:0").stacked("loop0", "7:0", {}).stacked("loop1", "7:1", {});
  tree.stacked("loop2", "7:2", {});
  tree.put("/sys/class/block/loop0/loop/backing_file", "/images/a b.img\n");
  tree.put("/sys/class/block/loop1/loop/backing_file", "/tmp/ram.img\n");
  tree.put("/sys/class/block/loop2/loop/backing_file", "/mnt/loop0/inner.img\n");
  tree.put("/proc/self/mountinfo",
           "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
           "28 27 0:40 / /tmp rw - tmpfs tmpfs rw\n"
           "29 27 7:0 / /mnt/loop0 rw - ext4 /dev/loop0 rw\n");
  CHECK(leaf_disks(tree.root(), on("ext4", "7:0")) == Names{"vda"});
  CHECK(leaf_disks(tree.root(), on("ext4", "7:2")) == Names{"vda"});
  CHECK(leaf_disks(tree.root(), on("ext4", "7:1")) == Names{"loop1"});  // RAM, FUSE, NFS behind it
}

TEST_CASE("Two loop devices on one disk are one leaf", "[host][leaf]") {
  Tree tree;
  tree.disk("vda", "254:0").stacked("loop0", "7:0", {}).stacked("loop1", "7:1", {});
  tree.put("/sys/class/block/loop0/loop/backing_file", "/0.img\n");
  tree.put("/sys/class/block/loop1/loop/backing_file", "/1.img\n");
  tree.put("/proc/self/mountinfo", "27 1 254:0 / / rw - ext4 /dev/vda rw\n");
  tree.stacked("md0", "9:0", {"loop0", "loop1"});
  CHECK(leaf_disks(tree.root(), on("xfs", "9:0")) == Names{"vda"});
}

TEST_CASE("btrfs leads to all of its devices, whichever was mounted", "[host][leaf]") {
  Tree tree;
  tree.disk("sda", "8:0").disk("sdb", "8:16").disk("sdc", "8:32").stacked("dm-0", "253:0", {"sdc"});
  tree.put("/sys/fs/btrfs/aaaa/devices/sda", "").put("/sys/fs/btrfs/features/raid1", "");
  tree.put("/sys/fs/btrfs/bbbb/devices/dm-0", "").put("/sys/fs/btrfs/bbbb/devices/sdb", "");
  CHECK(leaf_disks(tree.root(), on("btrfs", "8:16", "/dev/sdb")) == Names{"sdc", "sdb"});
  CHECK(leaf_disks(tree.root(), on("btrfs", "", "/dev/mapper/given-dm-0")) == Names{"sdc", "sdb"});
  CHECK(leaf_disks(tree.root(), on("btrfs", "", "/dev/sda")) == Names{"sda"});
}

TEST_CASE("An overlay leads to the disk of its upper layer", "[host][leaf]") {
  Tree tree;
  tree.disk("vda", "254:0").disk("vdb", "254:16");
  tree.put("/proc/self/mountinfo",
           "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
           "30 27 254:16 / /var/lib/docker rw - ext4 /dev/vdb rw\n");
  const auto overlay =
      on("overlay", "", "overlay", "rw,lowerdir=/usr/lower,upperdir=/var/lib/docker/up,workdir=/w");
  CHECK(leaf_disks(tree.root(), overlay) == Names{"vdb"});
  CHECK(leaf_disks(tree.root(), on("overlay", "", "overlay", "ro,lowerdir=/usr")).empty());
}

TEST_CASE("Where the kernel tells of no block device there is no leaf", "[host][leaf]") {
  Tree tree;
  tree.disk("vda", "254:0");
  CHECK(leaf_disks(tree.root(), on("tmpfs", "", "tmpfs")).empty());
  CHECK(leaf_disks(tree.root(), on("nfs4", "", "server:/export")).empty());
  CHECK(leaf_disks(tree.root(), on("zfs", "", "tank/ds")).empty());
  CHECK(leaf_disks(tree.root(), on("ext4", "8:77")).empty());  // hidden from a container
}

TEST_CASE("A chain that bites its tail ends", "[host][leaf]") {
  Tree tree;
  tree.stacked("dm-0", "253:0", {"dm-1"}).stacked("dm-1", "253:1", {"dm-0"});
  CHECK(leaf_disks(tree.root(), on("ext4", "253:0")).empty());
  tree.stacked("loop0", "7:0", {});
  tree.put("/sys/class/block/loop0/loop/backing_file", "/mnt/self.img\n");
  tree.put("/proc/self/mountinfo", "27 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
  CHECK(leaf_disks(tree.root(), on("ext4", "7:0")).empty());
}

TEST_CASE("The facts' leaf disks are taken in the order of their numbers", "[host][leaf]") {
  const sthd::Facts facts{{"disk.1.name", "sdb", ""},
                          {"disk.0.name", "sda", ""},
                          {"disk.0.model", "x", ""},
                          {"disk.3.name", "beyond a gap", ""}};
  CHECK(sthd::host::disk_names(facts) == Names{"sda", "sdb"});
  CHECK(sthd::host::disk_names({}).empty());
}
