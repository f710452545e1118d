#include "runner/host/direct_rules.hpp"

#include "support/catch.hpp"

using sthd::host::DirectEvidence;
using sthd::host::judge_evidence;

namespace {

struct Case {
  std::string name;
  sthd::Target target;
  DirectEvidence evidence;
  std::optional<bool> real;
  std::string reason;
};

sthd::Target on(const std::string& filesystem, std::uint32_t alignment = 512) {
  sthd::Target target;
  target.filesystem = filesystem;
  target.direct_reported = alignment > 0;
  target.direct_offset_alignment = alignment;
  return target;
}

sthd::Target zfs(const std::string& version) {
  auto target = on("zfs", 0);
  target.filesystem_version = version;
  return target;
}

sthd::Target journalled(const std::string& options, bool reports_none) {
  auto target = on("ext4", reports_none ? 0 : 512);
  target.direct_reported = true;
  target.mount_options = options;
  return target;
}

DirectEvidence cached(double share) {
  DirectEvidence evidence;
  evidence.cached_share = share;
  return evidence;
}

DirectEvidence btrfs(bool checksums, bool compressed, const std::string& kernel) {
  DirectEvidence evidence = cached(0);
  evidence.checksums = checksums;
  evidence.compressed = compressed;
  evidence.kernel = kernel;
  return evidence;
}

DirectEvidence arc(std::optional<std::uint64_t> writes, std::uint64_t record_size) {
  DirectEvidence evidence;
  evidence.zfs_direct_writes = writes;
  evidence.record_size = record_size;
  return evidence;
}

const std::vector<Case>& cases() {
  static const std::string kUnknown =
      " goes past this machine's page cache, and what serves it may have its own";
  static const std::vector<Case> kCases{
      {"plain ext4", on("ext4"), cached(0), true, "ext4: direct I/O past the page cache"},
      {"plain xfs", on("xfs"), cached(0), true, "xfs: direct I/O past the page cache"},
      {"ext4 on a kernel that reports and counts nothing",
       on("ext4", 0),
       {},
       true,
       "ext4: direct I/O past the page cache"},
      {"ext4 whose pages stayed", on("ext4"), cached(1), false,
       "ext4 kept the pages of a direct write in RAM"},
      {"ext4 with one foreign page", on("ext4"), cached(0.01), true,
       "ext4: direct I/O past the page cache"},
      {"ext4 data=journal", journalled("rw,data=journal", true), cached(1), false,
       "ext4 with data=journal buffers direct I/O"},
      {"ext4 data=journal on a kernel that reports otherwise", journalled("rw,data=journal", false),
       cached(0), false, "ext4 with data=journal buffers direct I/O"},
      {"ext4, one journalled file (chattr +j)", journalled("rw", true), cached(0), false,
       "ext4 reports that this file has no direct I/O"},
      {"tmpfs", on("tmpfs", 0), cached(1), false, "tmpfs keeps its files in RAM"},
      {"ramfs", on("ramfs", 0), {}, false, "ramfs keeps its files in RAM"},
      {"btrfs", on("btrfs", 0), btrfs(true, false, "6.18.44"), false,
       "btrfs with data checksums buffers direct writes"},
      {"btrfs, 6.14", on("btrfs", 0), btrfs(true, false, "6.14.0-rc1"), false,
       "btrfs with data checksums buffers direct writes"},
      {"btrfs on an older kernel", on("btrfs", 0), btrfs(true, false, "6.1.0-28-amd64"),
       std::nullopt,
       "btrfs with data checksums buffers direct writes on some kernels, and this one's "
       "6.1.0-28-amd64 does not tell"},
      {"btrfs on a later kernel", on("btrfs", 0), btrfs(true, false, "7.0.1"), std::nullopt,
       "btrfs with data checksums buffers direct writes on some kernels, and this one's 7.0.1 does "
       "not tell"},
      {"btrfs, nocow", on("btrfs", 0), btrfs(false, false, "6.18.44"), true,
       "btrfs without data checksums: direct I/O past the page cache"},
      {"btrfs, compressed", on("btrfs", 0), btrfs(true, true, "6.18.44"), false,
       "btrfs buffers direct writes of files that it compresses"},
      {"OpenZFS 2.1",
       zfs("2.1.11-1"),
       {},
       false,
       "OpenZFS 2.1.11-1 accepts O_DIRECT and ignores it"},
      {"OpenZFS 2.2", zfs("2.2.9-1~bpo"), arc(5, 131072), false,
       "OpenZFS 2.2.9-1~bpo accepts O_DIRECT and ignores it"},
      {"OpenZFS 2.3", zfs("2.3.9-1"), arc(8, 131072), std::nullopt,
       "OpenZFS 2.3.9-1 writes only whole records of 131072 bytes past the ARC, smaller pieces "
       "through it"},
      {"OpenZFS 2.3 without its counters", zfs("2.3.9-1"), arc(std::nullopt, 0), std::nullopt,
       "OpenZFS 2.3.9-1 writes only whole records past the ARC, smaller pieces through it"},
      {"OpenZFS 2.4, direct=disabled", zfs("2.4.1"), arc(0, 131072), false,
       "OpenZFS 2.4.1 wrote through the ARC: the dataset has direct=disabled"},
      {"OpenZFS 10", zfs("10.0.0"), arc(1, 4096), std::nullopt,
       "OpenZFS 10.0.0 writes only whole records of 4096 bytes past the ARC, smaller pieces "
       "through it"},
      {"ZFS of unknown version",
       zfs(""),
       {},
       std::nullopt,
       "the version of OpenZFS is not known, and up to 2.2 it ignores O_DIRECT"},
      {"NFS", on("nfs4", 0), cached(0), std::nullopt, "nfs4" + kUnknown},
      {"NFS that kept the pages", on("nfs4", 0), cached(1), false,
       "nfs4 kept the pages of a direct write in RAM"},
      {"FUSE", on("fuse.sshfs", 0), cached(0), std::nullopt, "fuse.sshfs" + kUnknown},
      {"FUSE that kept the pages", on("fuse", 0), cached(0.9), false,
       "fuse kept the pages of a direct write in RAM"},
      {"ntfs-3g", on("fuseblk", 0), {}, std::nullopt, "fuseblk" + kUnknown},
      {"overlay", on("overlay"), cached(0), std::nullopt,
       "overlay passes direct I/O on to a layer that is not known"},
      {"unknown, reporting", on("newfs"), cached(0), true, "newfs: direct I/O past the page cache"},
      {"unknown, silent", on("", 0), cached(0), std::nullopt,
       "this filesystem does not tell whether direct I/O is real"},
  };
  return kCases;
}

}  // namespace

TEST_CASE("Whether O_DIRECT is real follows from filesystem, version and evidence",
          "[host][direct]") {
  for (const auto& [name, target, evidence, real, reason] : cases()) {
    CAPTURE(name);
    const auto verdict = judge_evidence(target, evidence);
    CHECK(verdict.works);
    CHECK(verdict.real == real);
    CHECK(verdict.reason == reason);
  }
}
