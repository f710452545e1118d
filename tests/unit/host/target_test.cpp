#include "runner/host/target.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "filesystems.hpp"
#include "support/catch.hpp"

namespace fs = std::filesystem;
using sthd::test::File;
using sthd::test::Folder;
using sthd::test::Mounted;

namespace {

std::string refusal(const std::string& path) {
  const auto opened = sthd::host::open_directory(path);
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().code == sthd::ErrorCode::refused);
  return opened.error().message;
}

sthd::Target inspected(const fs::path& path) {
  const File directory(path, O_RDONLY | O_DIRECTORY);
  auto target = sthd::host::inspect(directory.fd(), "as typed");
  REQUIRE(target.ok());
  return *target;
}

}  // namespace

TEST_CASE("A target is an existing directory and nothing else", "[host][target]") {
  const Folder folder;
  const std::string here = folder.path().string();
  SECTION("a directory opens") {
    const auto opened = sthd::host::open_directory(here);
    REQUIRE(opened.ok());
    CHECK((::fcntl(*opened, F_GETFD) & FD_CLOEXEC) != 0);
    ::close(*opened);
  }
  SECTION("nothing is created") {
    CHECK(refusal(here + "/none") ==
          "\"" + here +
              "/none\" does not exist; it is never created here: mount it, create it, or correct "
              "the path");
    CHECK(fs::is_empty(here));
  }
  SECTION("a file") {
    { const File file(folder.path() / "file", O_CREAT | O_RDWR); }
    CHECK(refusal(here + "/file") == "\"" + here +
                                         "/file\" is a file, and a target is an existing "
                                         "directory: name the directory to test in");
  }
  SECTION("a FIFO, without waiting for its other end") {
    REQUIRE(::mkfifo((here + "/pipe").c_str(), 0600) == 0);
    CHECK(refusal(here + "/pipe") == "\"" + here +
                                         "/pipe\" is a FIFO, and a target is an existing "
                                         "directory: name the directory to test in");
  }
  SECTION("a device") {
    CHECK(refusal("/dev/null") ==
          "\"/dev/null\" is a character device, and a target is an existing directory: name the "
          "directory to test in");
  }
  SECTION("an endless name") {
    const std::string name(300, 'x');
    CHECK(refusal(here + "/" + name) ==
          "\"" + here + "/" + name +
              "\" cannot be opened as a directory: File name too long (ENAMETOOLONG): name a "
              "directory that you may read and write");
  }
}

TEST_CASE("The facts of a real directory agree with the system's", "[host][target]") {
  const Folder folder;
  fs::create_directory_symlink(folder.path(), folder.path() / "link");
  const auto target = inspected(folder.path() / "link");
  CHECK(target.path == "as typed");
  CHECK(target.resolved_path == folder.path().string());
  CHECK(target.kind == sthd::TargetKind::directory);
  CHECK_FALSE(target.filesystem.empty());
  CHECK_FALSE(target.mount_options.empty());
  CHECK(folder.path().string().starts_with(target.mount_point));
  struct statvfs space {};
  REQUIRE(::statvfs(folder.path().c_str(), &space) == 0);
  CHECK(target.total_bytes == space.f_blocks * space.f_frsize);
  CHECK(target.available_bytes.has_value());
}

TEST_CASE("A target of the kernel's own filesystems is refused", "[host][target]") {
  const File proc("/proc", O_RDONLY | O_DIRECTORY);
  const auto target = sthd::host::inspect(proc.fd(), "/proc");
  REQUIRE_FALSE(target.ok());
  CHECK(target.error().code == sthd::ErrorCode::refused);
  CHECK(target.error().message ==
        "\"/proc\" lies in proc, which belongs to the kernel and stores nothing: name a directory "
        "on a disk");
}

TEST_CASE("A deleted directory is refused", "[host][target]") {
  const Folder folder;
  fs::create_directory(folder.path() / "gone");
  const File directory(folder.path() / "gone", O_RDONLY | O_DIRECTORY);
  fs::remove(folder.path() / "gone");
  const auto target = sthd::host::inspect(directory.fd(), "gone");
  if (target.ok()) {  // some filesystems (btrfs) count links of directories differently
    CHECK(target->resolved_path.ends_with(" (deleted)"));
  } else {
    CHECK(target.error().message ==
          "\"gone\" has just been deleted: create it again or name another directory");
  }
}

TEST_CASE("A mount point with a space, over-mounted and bound, is told by its mount",
          "[host][target][root]") {
  const auto ext4 = Mounted::make("ext4", "noatime");
  if (!ext4) return;
  const auto target = inspected(ext4->path());
  CHECK(target.filesystem == "ext4");
  CHECK(target.mount_point == ext4->path().string());
  CHECK(target.source.starts_with("/dev/loop"));
  CHECK(target.device.starts_with("7:"));
  CHECK(target.mount_options.find("noatime") != std::string::npos);
  CHECK(target.filesystem_version.empty());

  const File below(ext4->path(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::mount("above", ext4->path().c_str(), "tmpfs", 0, "size=1m") == 0);
  CHECK(inspected(ext4->path()).source == "above");
  CHECK(inspected(ext4->path()).device.empty());
  CHECK(inspected(ext4->path()).total_bytes == 1024 * 1024);
  CHECK(sthd::host::inspect(below.fd(), "x")->filesystem == "ext4");
  REQUIRE(::umount(ext4->path().c_str()) == 0);

  const Folder bound;
  fs::create_directory(ext4->path() / "inner");
  REQUIRE(::mount((ext4->path() / "inner").c_str(), bound.path().c_str(), nullptr, MS_BIND,
                  nullptr) == 0);
  CHECK(inspected(bound.path()).filesystem == "ext4");
  CHECK(inspected(bound.path()).mount_point == bound.path().string());
  REQUIRE(::umount(bound.path().c_str()) == 0);
}

TEST_CASE("btrfs, which has no device number of its own, is told by its source",
          "[host][target][root]") {
  const auto btrfs = Mounted::make("btrfs", "", 128);
  if (!btrfs) return;
  CHECK(inspected(btrfs->path()).filesystem == "btrfs");
  CHECK(inspected(btrfs->path()).device.starts_with("7:"));
}
