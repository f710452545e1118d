#include "runner/host/direct.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>

#include "filesystems.hpp"
#include "runner/host/kernel_calls.hpp"
#include "runner/host/target.hpp"
#include "support/catch.hpp"

namespace fs = std::filesystem;
using sthd::kMiB;
using sthd::test::File;
using sthd::test::Folder;
using sthd::test::Mounted;

namespace {

sthd::Target target_at(const fs::path& path) {
  const File directory(path, O_RDONLY | O_DIRECTORY);
  auto target = sthd::host::inspect(directory.fd(), path.string());
  REQUIRE(target.ok());
  return *target;
}

sthd::host::DirectVerdict judged(const fs::path& folder) {
  const File file(folder / "file", O_CREAT | O_RDWR);
  file.fill(4 * kMiB);
  auto target = target_at(folder);
  return sthd::host::judge_direct(file.fd(), target);
}

std::string contents(int fd) {
  std::string bytes(4 * kMiB, '\0');
  REQUIRE(::pread(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return bytes;
}

/// What btrfs does with checksummed data depends on the kernel (direct_rules_test has all cases).
std::optional<bool> real_on_checksummed_btrfs() {
  utsname kernel{};
  REQUIRE(::uname(&kernel) == 0);
  unsigned major = 0;
  unsigned minor = 0;
  REQUIRE(std::sscanf(kernel.release, "%u.%u", &major, &minor) == 2);
  if (major == 6 && minor >= 14) return false;
  return std::nullopt;
}

}  // namespace

TEST_CASE("The probe of O_DIRECT leaves file and size as they were", "[host][direct]") {
  const Folder folder;
  const File file(folder.path() / "file", O_CREAT | O_RDWR);
  file.fill(4 * kMiB);
  const std::string before = contents(file.fd());
  auto target = target_at(folder.path());
  (void)sthd::host::judge_direct(file.fd(), target);
  CHECK(contents(file.fd()) == before);
  struct stat facts {};
  REQUIRE(::fstat(file.fd(), &facts) == 0);
  CHECK(facts.st_size == 4 * static_cast<off_t>(kMiB));
}

TEST_CASE("ext4: O_DIRECT is real and its alignment is noted", "[host][direct][root]") {
  const auto ext4 = Mounted::make("ext4");
  if (!ext4) return;
  const File file(ext4->path() / "file", O_CREAT | O_RDWR);
  file.fill(4 * kMiB);
  auto target = target_at(ext4->path());
  const auto verdict = sthd::host::judge_direct(file.fd(), target);
  CHECK(verdict.works);
  CHECK(verdict.real == true);
  CHECK(verdict.reason == "ext4: direct I/O past the page cache");
  if (target.direct_reported) CHECK(target.direct_offset_alignment >= 512);
}

TEST_CASE("ext4 data=journal: O_DIRECT works and means nothing", "[host][direct][root]") {
  const auto ext4 = Mounted::make("ext4", "data=journal");
  if (!ext4) return;
  const auto verdict = judged(ext4->path());
  CHECK(verdict.works);
  CHECK(verdict.real == false);
  CHECK(verdict.reason == "ext4 with data=journal buffers direct I/O");
}

TEST_CASE("xfs: O_DIRECT is real", "[host][direct][root]") {
  const auto xfs = Mounted::make("xfs", "", 320);
  if (!xfs) return;
  const auto verdict = judged(xfs->path());
  CHECK(verdict.works);
  CHECK(verdict.real == true);
  CHECK(verdict.reason == "xfs: direct I/O past the page cache");
}

TEST_CASE("btrfs: O_DIRECT depends on checksums and compression", "[host][direct][root]") {
  SECTION("checksums") {
    const auto btrfs = Mounted::make("btrfs", "", 128);
    if (!btrfs) return;
    const auto verdict = judged(btrfs->path());
    CHECK(verdict.works);
    CHECK(verdict.real == real_on_checksummed_btrfs());
  }
  SECTION("a file without copy-on-write") {
    const auto btrfs = Mounted::make("btrfs", "", 128);
    if (!btrfs) return;
    const File file(btrfs->path() / "nocow", O_CREAT | O_RDWR);
    int flags = FS_NOCOW_FL;
    REQUIRE(::ioctl(file.fd(), FS_IOC_SETFLAGS, &flags) == 0);
    file.fill(4 * kMiB);
    auto target = target_at(btrfs->path());
    const auto verdict = sthd::host::judge_direct(file.fd(), target);
    CHECK(verdict.real == true);
    CHECK(verdict.reason == "btrfs without data checksums: direct I/O past the page cache");
  }
  SECTION("compression") {
    const auto btrfs = Mounted::make("btrfs", "compress=zstd", 128);
    if (!btrfs) return;
    const auto verdict = judged(btrfs->path());
    CHECK(verdict.real == false);
    CHECK(verdict.reason == "btrfs buffers direct writes of files that it compresses");
  }
}

TEST_CASE("tmpfs: O_DIRECT means nothing, whether it opens or not", "[host][direct][root]") {
  const auto tmpfs = Mounted::make("tmpfs");
  if (!tmpfs) return;
  const auto verdict = judged(tmpfs->path());
  CHECK(verdict.real == false);
  CHECK(verdict.reason == (verdict.works ? "tmpfs keeps its files in RAM"
                                         : "opening it with O_DIRECT: Invalid argument (EINVAL)"));
}

TEST_CASE("overlay: O_DIRECT is what its upper layer makes of it", "[host][direct][root]") {
  const auto [filesystem, options, real, reason] =
      GENERATE(table<std::string, std::string, bool, std::string>(
          {{"ext4", "", true, "overlay on ext4: direct I/O past the page cache"},
           {"ext4", "data=journal", false, "overlay on ext4 with data=journal buffers direct I/O"},
           {"btrfs", "compress=zstd", false,
            "overlay on btrfs buffers direct writes of files that it compresses"}}));
  const auto under = Mounted::make(filesystem, options, 128);
  if (!under) return;
  const auto overlay = Mounted::overlay(under->path());
  if (!overlay) return;
  const auto verdict = judged(overlay->path());
  CHECK(verdict.works);
  CHECK(verdict.real == real);
  CHECK(verdict.reason == reason);
}

TEST_CASE("Resident bytes: both ways of counting agree with what was done", "[host][cache]") {
  const Folder folder;
  const File file(folder.path() / "file", O_CREAT | O_RDWR);
  file.fill(4 * kMiB);
  using Count = std::optional<std::uint64_t> (*)(int, std::uint64_t);
  const Count count =
      GENERATE(Count{&sthd::host::resident_bytes}, Count{&sthd::host::mincore_bytes},
               Count{&sthd::host::cachestat_bytes});
  const auto resident = count(file.fd(), 4 * kMiB);
  if (!resident) {
    std::puts("not run: this kernel does not count");
    return;
  }
  CHECK(resident == 4 * kMiB);
  CHECK(count(file.fd(), 4 * kMiB - 100) == 4 * kMiB - 100);
  CHECK(count(file.fd(), 0) == 0);
  CHECK(count(-1, 4096) == std::nullopt);
}
