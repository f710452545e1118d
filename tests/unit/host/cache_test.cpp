#include <fcntl.h>
#include <unistd.h>

#include "filesystems.hpp"
#include "runner/host/direct.hpp"
#include "runner/host/target.hpp"
#include "support/catch.hpp"

namespace fs = std::filesystem;
using sthd::CacheMode;
using sthd::kMiB;
using sthd::Op;
using sthd::host::reach_cache_state;
using sthd::test::File;
using sthd::test::Folder;
using sthd::test::Mounted;

namespace {

constexpr std::uint64_t kSize = 8 * kMiB;

sthd::Workload workload(CacheMode cache, Op op = Op::read) {
  sthd::Workload result;
  result.cache = cache;
  result.op = op;
  result.size = kSize;
  return result;
}

sthd::Target named(const std::string& filesystem) {
  sthd::Target target;
  target.filesystem = filesystem;
  return target;
}

/// Whether dropping pages works where the tests' temporary files are.
bool cache_can_be_dropped(const File& file) {
  ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED);
  return sthd::host::resident_bytes(file.fd(), kSize) == 0;
}

}  // namespace

TEST_CASE("cold: the pages of the region are gone and that is verified", "[host][cache]") {
  const Folder folder;
  const File file(folder.path() / "file", O_CREAT | O_RDWR);
  file.fill(kSize);
  if (!cache_can_be_dropped(file)) {
    std::puts("not run: the temporary folder's cache cannot be dropped");
    return;
  }
  std::string page(4096, 'x');
  REQUIRE(::pwrite(file.fd(), page.data(), page.size(), 4096) == 4096);  // a dirty page, too
  const auto state = reach_cache_state(file.fd(), workload(CacheMode::cold), named("ext4"), false);
  REQUIRE(state.ok());
  CHECK(state->asked == CacheMode::cold);
  CHECK(state->reached_by == "posix_fadvise(DONTNEED)");
  CHECK(state->verified == true);
  CHECK(sthd::host::resident_bytes(file.fd(), kSize) == 0);

  const auto direct = reach_cache_state(file.fd(), workload(CacheMode::cold), named("ext4"), true);
  CHECK(direct->reached_by == "O_DIRECT");
  CHECK(direct->verified == true);
}

TEST_CASE("cold: an empty page cache says nothing about a server's", "[host][cache]") {
  const Folder folder;
  const File file(folder.path() / "file", O_CREAT | O_RDWR);
  file.fill(kSize);
  if (!cache_can_be_dropped(file)) return;
  const auto state = reach_cache_state(file.fd(), workload(CacheMode::cold), named("nfs4"), false);
  REQUIRE(state.ok());
  CHECK(state->reached_by == "posix_fadvise(DONTNEED)");
  CHECK(state->verified == std::nullopt);
}

TEST_CASE("warm: the region is read once and resident, also through a direct descriptor",
          "[host][cache]") {
  const Folder folder;
  const File file(folder.path() / "file", O_CREAT | O_RDWR);
  file.fill(kSize);
  (void)cache_can_be_dropped(file);
  const int flags = GENERATE(O_RDWR, O_RDWR | O_DIRECT);
  const int fd = ::open((folder.path() / "file").c_str(), flags | O_CLOEXEC);
  if (fd < 0) return;  // no O_DIRECT here
  const auto state = reach_cache_state(fd, workload(CacheMode::warm), named("ext4"), false);
  ::close(fd);
  REQUIRE(state.ok());
  CHECK(state->asked == CacheMode::warm);
  CHECK(state->reached_by == "read once");
  CHECK(state->verified == true);
  CHECK(sthd::host::resident_bytes(file.fd(), kSize) == kSize);
}

TEST_CASE("warm: an empty file has nothing to verify", "[host][cache]") {
  const Folder folder;
  const File file(folder.path() / "file", O_CREAT | O_RDWR);
  const auto state = reach_cache_state(file.fd(), workload(CacheMode::warm), named("ext4"), false);
  REQUIRE(state.ok());
  CHECK(state->verified == std::nullopt);
}

TEST_CASE("as_is: nothing is done", "[host][cache]") {
  const auto state = reach_cache_state(-1, workload(CacheMode::as_is), named("ext4"), false);
  REQUIRE(state.ok());
  CHECK(state->asked == CacheMode::as_is);
  CHECK(state->reached_by.empty());
  CHECK(state->verified == std::nullopt);
}

TEST_CASE("cold: reads that cannot be cold are unavailable, writes are not", "[host][cache]") {
  const Folder folder;
  const File file(folder.path() / "file", O_CREAT | O_RDWR);
  file.fill(kSize);
  const auto reason = [&](const std::string& filesystem, Op op, bool direct) -> std::string {
    const auto state =
        reach_cache_state(file.fd(), workload(CacheMode::cold, op), named(filesystem), direct);
    if (state) return state->reached_by;
    CHECK(state.error().code == sthd::ErrorCode::unavailable);
    return state.error().message;
  };
  const std::string ram = "tmpfs keeps its files in RAM: there is no cold read";
  const std::string arc =
      "ZFS keeps what it read in the ARC, which cannot be emptied for one file: there is no cold "
      "read";
  CHECK(reason("tmpfs", Op::read, false) == ram);
  CHECK(reason("tmpfs", Op::mixed, true) == ram);
  CHECK(reason("tmpfs", Op::write, false) == "posix_fadvise(DONTNEED)");
  CHECK(reason("zfs", Op::read, false) == arc);
  CHECK(reason("zfs", Op::read, true) == "O_DIRECT");
  CHECK(reason("zfs", Op::write, false) == "posix_fadvise(DONTNEED)");
}

TEST_CASE("A file that cannot be synced or read is an error with its errno", "[host][cache]") {
  const auto cold = reach_cache_state(-1, workload(CacheMode::cold), named("ext4"), false);
  REQUIRE_FALSE(cold.ok());
  CHECK(cold.error().code == sthd::ErrorCode::failed);
  CHECK(cold.error().message ==
        "fdatasync of the test file before a cold start: Bad file descriptor (EBADF)");
  const auto warm = reach_cache_state(-1, workload(CacheMode::warm), named("ext4"), false);
  REQUIRE_FALSE(warm.ok());
  CHECK(warm.error().system_errno == ENOENT);
}

TEST_CASE("tmpfs: a cold write on it is told as not verified", "[host][cache][root]") {
  const auto tmpfs = Mounted::make("tmpfs");
  if (!tmpfs) return;
  const File file(tmpfs->path() / "file", O_CREAT | O_RDWR);
  file.fill(kSize);
  const auto state =
      reach_cache_state(file.fd(), workload(CacheMode::cold, Op::write), named("tmpfs"), false);
  REQUIRE(state.ok());
  CHECK(state->verified == false);
}

TEST_CASE("xfs and btrfs: a cold start is reached and verified", "[host][cache][root]") {
  const auto [filesystem, megabytes] =
      GENERATE(table<std::string, unsigned>({{"xfs", 320}, {"btrfs", 128}}));
  const auto mounted = Mounted::make(filesystem, "", megabytes);
  if (!mounted) return;
  const File file(mounted->path() / "file", O_CREAT | O_RDWR);
  file.fill(kSize);
  const auto state =
      reach_cache_state(file.fd(), workload(CacheMode::cold), named(filesystem), false);
  REQUIRE(state.ok());
  CHECK(state->verified == true);
}
