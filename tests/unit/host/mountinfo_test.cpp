#include "runner/host/mountinfo.hpp"

#include "support/catch.hpp"

using sthd::host::find_mount;
using sthd::host::has_option;
using sthd::host::mount_of;
using sthd::host::parse_mountinfo;

TEST_CASE("A line of mountinfo is taken apart", "[host][mountinfo]") {
  const auto mounts = parse_mountinfo(
      "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n");
  REQUIRE(mounts.size() == 1);
  CHECK(mounts[0].id == 36);
  CHECK(mounts[0].device == "98:0");
  CHECK(mounts[0].root == "/mnt1");
  CHECK(mounts[0].mount_point == "/mnt2");
  CHECK(mounts[0].options == "rw,noatime");
  CHECK(mounts[0].filesystem == "ext3");
  CHECK(mounts[0].source == "/dev/root");
  CHECK(mounts[0].super_options == "rw,errors=continue");
  CHECK(mounts[0].all_options() == "rw,noatime,errors=continue");
}

TEST_CASE("Optional fields may be none or many", "[host][mountinfo]") {
  const auto mounts = parse_mountinfo(
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "2 1 8:2 / /a rw shared:3 master:4 propagate_from:2 unbindable - xfs /dev/sda2 rw\n");
  REQUIRE(mounts.size() == 2);
  CHECK(mounts[0].filesystem == "ext4");
  CHECK(mounts[1].filesystem == "xfs");
  CHECK(mounts[1].source == "/dev/sda2");
}

TEST_CASE("Octal escapes are undone, and only those", "[host][mountinfo]") {
  const auto [written, meant] = GENERATE(table<std::string, std::string>({
      {R"(/a\040b)", "/a b"},
      {R"(/a\011b\012c\134d\043)", "/a\tb\nc\\d#"},
      {R"(/a\040-\040b)", "/a - b"},
      {R"(/a\)", R"(/a\)"},
      {R"(/a\04)", R"(/a\04)"},
      {R"(/a\048)", R"(/a\048)"},
      {R"(/a\777)", R"(/a\777)"},
      {R"(/\303\244)", "/ä"},
      {"//server/share", "//server/share"},
  }));
  const auto mounts = parse_mountinfo("7 1 0:9 / " + written + " rw - cifs " + written + " rw\n");
  REQUIRE(mounts.size() == 1);
  CHECK(mounts[0].mount_point == meant);
  CHECK(mounts[0].source == meant);
}

TEST_CASE("An empty source shifts nothing", "[host][mountinfo]") {
  const auto mounts = parse_mountinfo("7 1 0:9 / /a rw - tmpfs  rw,size=4k\n");
  REQUIRE(mounts.size() == 1);
  CHECK(mounts[0].source.empty());
  CHECK(mounts[0].super_options == "rw,size=4k");
}

TEST_CASE("Lines that are none are left out, the others stay", "[host][mountinfo]") {
  const auto mounts = parse_mountinfo(
      "\n"
      "garbage\n"
      "x 1 8:1 / /a rw - ext4 /dev/sda1 rw\n"
      "3 1 8:1 / /a rw ext4 /dev/sda1 rw\n"
      "4 1 8:1 /\n"
      "5 1 8:1 / /b rw - \n"
      "6 1 8:1 / /c rw - ext4 /dev/sda1 rw");
  REQUIRE(mounts.size() == 1);
  CHECK(mounts[0].mount_point == "/c");
}

TEST_CASE("Of mounts stacked on one point the id tells which", "[host][mountinfo]") {
  constexpr auto kText =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 0:40 / /mnt rw - tmpfs below rw\n"
      "31 30 0:41 / /mnt rw - tmpfs above rw\n"
      "32 20 8:1 /srv /mnt/bind rw - ext4 /dev/sda1 rw\n";
  CHECK(find_mount(kText, 30)->source == "below");
  CHECK(find_mount(kText, 31)->source == "above");
  CHECK(find_mount(kText, 32)->root == "/srv");
  CHECK_FALSE(find_mount(kText, 3).has_value());
}

TEST_CASE("A path belongs to the longest mount point above it, the last one there",
          "[host][mountinfo]") {
  const auto mounts = parse_mountinfo(
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "2 1 8:2 / /data rw - xfs /dev/sda2 rw\n"
      "3 1 8:3 / /data rw - btrfs /dev/sda3 rw\n"
      "4 1 8:4 / /data/image rw - fuse none rw\n");
  const auto [path, id] = GENERATE(table<std::string, std::uint64_t>({
      {"/", 1},
      {"/database", 1},
      {"/data", 3},
      {"/data/a", 3},
      {"/data/image", 4},
      {"/data/image2", 3},
  }));
  INFO(path);
  const auto* mount = mount_of(mounts, path);
  REQUIRE(mount != nullptr);
  CHECK(mount->id == id);
  CHECK(mount_of(mounts, "data") == nullptr);
  CHECK(mount_of({}, path) == nullptr);
}

TEST_CASE("An option is a whole word of the list", "[host][mountinfo]") {
  CHECK(has_option("rw,data=journal", "data=journal"));
  CHECK(has_option("data=journal,rw", "data=journal"));
  CHECK_FALSE(has_option("rw,data=journaled", "data=journal"));
  CHECK_FALSE(has_option("rw,xdata=journal", "data=journal"));
  CHECK_FALSE(has_option("", "rw"));
}
