#include "runner/host/kernel_calls.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>
#include <vector>

#include "sthd/units.hpp"

namespace sthd::host {
namespace {

constexpr std::uint32_t kStatxMountId = 0x1000;
constexpr std::uint32_t kStatxDirectAlign = 0x2000;

/// The kernel's struct statx, as far as it is used here; 256 bytes.
struct KernelStatx {
  std::uint32_t mask;
  std::array<std::byte, 0x90 - 4> not_used_here;
  std::uint64_t mount_id;
  std::uint32_t direct_memory_alignment;
  std::uint32_t direct_offset_alignment;
  std::array<std::byte, 256 - 0xa0> spare;
};
static_assert(sizeof(KernelStatx) == 256 && offsetof(KernelStatx, mount_id) == 0x90 &&
              offsetof(KernelStatx, direct_memory_alignment) == 0x98);

constexpr long kSyscallCachestat = 451;  // the same on every architecture
struct CacheRange {
  std::uint64_t offset;
  std::uint64_t length;
};
struct CacheCounts {
  std::uint64_t cached;
  std::uint64_t dirty;
  std::uint64_t writeback;
  std::uint64_t evicted;
  std::uint64_t recently_evicted;
};

std::uint64_t page_size() { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }

std::optional<std::uint64_t> mount_id_of_fdinfo(int fd) {
  const std::string text = read_small_file(fmt::format("/proc/self/fdinfo/{}", fd));
  constexpr std::string_view kKey = "mnt_id:";
  const auto at = text.find(kKey);
  if (at == std::string::npos) return std::nullopt;
  const auto begin = text.find_first_of("0123456789", at + kKey.size());
  if (begin == std::string::npos) return std::nullopt;
  std::uint64_t id = 0;
  const auto [end, code] = std::from_chars(text.data() + begin, text.data() + text.size(), id);
  if (code != std::errc{}) return std::nullopt;
  return id;
}

}  // namespace

FileFacts file_facts(int fd) {
  FileFacts facts;
  KernelStatx raw{};
  if (::syscall(SYS_statx, fd, "", AT_EMPTY_PATH, kStatxMountId | kStatxDirectAlign, &raw) == 0) {
    if ((raw.mask & kStatxMountId) != 0) facts.mount_id = raw.mount_id;
    facts.direct_reported = (raw.mask & kStatxDirectAlign) != 0;
    if (facts.direct_reported) {
      facts.direct_memory_alignment = raw.direct_memory_alignment;
      facts.direct_offset_alignment = raw.direct_offset_alignment;
    }
  }
  if (!facts.mount_id) facts.mount_id = mount_id_of_fdinfo(fd);
  return facts;
}

std::optional<std::uint64_t> cachestat_bytes(int fd, std::uint64_t size) {
  if (size == 0) return 0;  // a length of 0 would mean "to the end"
  CacheRange range{0, size};
  CacheCounts counts{};
  if (::syscall(kSyscallCachestat, fd, &range, &counts, 0) != 0) return std::nullopt;
  return std::min(counts.cached * page_size(), size);
}

std::optional<std::uint64_t> mincore_bytes(int fd, std::uint64_t size) {
  constexpr std::uint64_t kChunk = 256 * kMiB;
  std::vector<unsigned char> pages;
  std::uint64_t resident = 0;
  for (std::uint64_t offset = 0; offset < size; offset += kChunk) {
    const std::uint64_t length = std::min(kChunk, size - offset);
    void* const map =
        ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(offset));
    if (map == MAP_FAILED) return std::nullopt;
    pages.assign((length + page_size() - 1) / page_size(), 0);
    const int failed = ::mincore(map, length, pages.data());
    ::munmap(map, length);
    if (failed != 0) return std::nullopt;
    resident += page_size() * static_cast<std::uint64_t>(std::ranges::count_if(
                                  pages, [](auto p) { return (p & 1U) != 0; }));
  }
  return std::min(resident, size);
}

std::optional<std::uint64_t> filesystem_magic(int fd) {
  struct statfs facts {};
  if (::fstatfs(fd, &facts) != 0) return std::nullopt;
  // f_type is signed on some machines, and magic numbers have 32 bits.
  return static_cast<std::uint32_t>(facts.f_type);
}

std::string_view filesystem_name(std::uint64_t magic) {
  static constexpr std::array<std::pair<std::uint64_t, std::string_view>, 16> kNames{{
      {0xef53, "ext4"},
      {0x58465342, "xfs"},
      {0x9123683e, "btrfs"},
      {0x2fc12fc1, "zfs"},
      {0xca451a4e, "bcachefs"},
      {0xf2f52010, "f2fs"},
      {0x01021994, "tmpfs"},
      {0x858458f6, "ramfs"},
      {0x794c7630, "overlay"},
      {0x6969, "nfs"},
      {0xff534d42, "cifs"},
      {0xfe534d42, "smb3"},
      {0x65735546, "fuse"},
      {0x01021997, "9p"},
      {0x00c36400, "ceph"},
      {0x4d44, "vfat"},
  }};
  const auto found =
      std::ranges::find(kNames, magic, &std::pair<std::uint64_t, std::string_view>::first);
  return found == kNames.end() ? std::string_view() : found->second;
}

std::string read_small_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text;
  std::array<char, 16384> piece;
  while (text.size() < kMiB) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  return text;
}

}  // namespace sthd::host
