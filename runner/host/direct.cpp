#include "runner/host/direct.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "runner/host/direct_rules.hpp"
#include "runner/host/facts_source.hpp"
#include "runner/host/kernel_calls.hpp"
#include "runner/host/mountinfo.hpp"

namespace sthd::host {
namespace {

constexpr std::uint64_t kProbeBytes = kMiB;
constexpr std::uint64_t kSmallestAlignment = 4096;

struct Free {
  void operator()(unsigned char* memory) const { std::free(memory); }  // NOLINT: of aligned_alloc
};
using Buffer = std::unique_ptr<unsigned char[], Free>;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

DirectVerdict unusable(const char* what, int code) {
  return {.works = false, .real = false, .reason = system_error(what, code).message};
}

std::uint64_t alignment_of(const Target& target) {
  return std::max<std::uint64_t>(
      {kSmallestAlignment, target.direct_memory_alignment, target.direct_offset_alignment});
}

/// The file's own bytes, so that the probe changes nothing; where there are only zeros (which some
/// filesystems do not store), something incompressible.
void fill(int fd, unsigned char* buffer, std::uint64_t length) {
  const ssize_t got = ::pread(fd, buffer, length, 0);
  const std::uint64_t have = got > 0 ? static_cast<std::uint64_t>(got) : 0;
  const bool zeros = std::all_of(buffer, buffer + have, [](unsigned char b) { return b == 0; });
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (std::uint64_t i = zeros ? 0 : have; i < length; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    buffer[i] = static_cast<unsigned char>(state >> 56U);
  }
}

/// How many bytes to probe with: the file's front, whole alignment units, at least one.
std::uint64_t probe_length(int fd, std::uint64_t alignment) {
  struct stat facts {};
  if (::fstat(fd, &facts) != 0) return alignment;
  const auto size = std::min<std::uint64_t>(static_cast<std::uint64_t>(facts.st_size), kProbeBytes);
  return std::max(alignment, size - size % alignment);
}

/// Rise of the pool's direct_write_count is asked for before and after the probe.
std::optional<std::uint64_t> zfs_direct_writes(const Target& target) {
  if (target.filesystem != "zfs") return std::nullopt;
  const std::string pool = target.source.substr(0, target.source.find('/'));
  const std::string text = read_small_file(fmt::format("/proc/spl/kstat/zfs/{}/iostats", pool));
  constexpr std::string_view kKey = "direct_write_count";
  auto at = text.find(kKey);
  if (at == std::string::npos) return std::nullopt;
  at = text.find_first_not_of(' ', at + kKey.size());  // the type
  at = text.find(' ', std::min(at, text.size()));
  at = text.find_first_not_of(' ', std::min(at, text.size()));
  if (at == std::string::npos) return std::nullopt;
  std::uint64_t count = 0;
  const auto [end, code] = std::from_chars(text.data() + at, text.data() + text.size(), count);
  return code == std::errc{} ? std::optional(count) : std::nullopt;
}

/// An overlay's files are its upper layer's, where that can be seen: a container's cannot, or its
/// path is another folder's here.
std::optional<Target> upper_layer(const Target& overlay) {
  if (overlay.filesystem != "overlay") return std::nullopt;
  const std::string folder = facts::option_value(overlay.mount_options, "upperdir");
  struct stat upper {};
  if (folder.empty() || ::stat(folder.c_str(), &upper) != 0) return std::nullopt;
  const auto mounts = parse_mountinfo(read_small_file("/proc/self/mountinfo"));
  const Mount* mount = mount_of(mounts, folder);
  if (mount == nullptr || mount->filesystem == "overlay") return std::nullopt;
  Target layer = overlay;
  layer.filesystem = mount->filesystem;
  layer.mount_options = mount->all_options();
  layer.source = mount->source;
  return layer;
}

void ask_btrfs(int fd, const Target& target, DirectEvidence& evidence) {
  if (target.filesystem != "btrfs") return;
  long flags = 0;  // the ioctl's historical type; the kernel fills an int
  const bool known = ::ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0;
  const bool no_cow = known && (flags & FS_NOCOW_FL) != 0;
  evidence.checksums = !no_cow && !has_option(target.mount_options, "nodatasum") &&
                       !has_option(target.mount_options, "nodatacow");
  const bool mount_compresses = target.mount_options.find("compress") != std::string::npos;
  evidence.compressed = !no_cow && (mount_compresses || (known && (flags & FS_COMPR_FL) != 0));
}

}  // namespace

DirectVerdict judge_direct(int fd, Target& target) {
  const FileFacts facts = file_facts(fd);
  target.direct_reported = facts.direct_reported;
  target.direct_memory_alignment = facts.direct_memory_alignment;
  target.direct_offset_alignment = facts.direct_offset_alignment;

  const Descriptor direct(::open(fmt::format("/proc/self/fd/{}", fd).c_str(),
                                 O_RDWR | O_DIRECT | O_CLOEXEC | O_NOCTTY));
  if (direct.get() < 0) return unusable("opening it with O_DIRECT", errno);

  const std::uint64_t alignment = alignment_of(target);
  const std::uint64_t length = probe_length(fd, alignment);
  const Buffer buffer(static_cast<unsigned char*>(std::aligned_alloc(alignment, length)));
  if (!buffer) return unusable("memory for a direct write", ENOMEM);
  fill(fd, buffer.get(), length);
  // The pages just read must not be taken for pages that the direct write left.
  ::fdatasync(fd);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);

  DirectEvidence evidence;
  const auto upper = upper_layer(target);
  const Target& layer = upper ? *upper : target;
  ask_btrfs(fd, layer, evidence);
  const auto zfs_before = zfs_direct_writes(layer);
  const auto wanted = static_cast<ssize_t>(length);
  const ssize_t written = ::pwrite(direct.get(), buffer.get(), length, 0);
  if (written != wanted) return unusable("a direct write", written < 0 ? errno : EIO);
  if (const auto resident = resident_bytes(fd, length)) {
    evidence.cached_share = static_cast<double>(*resident) / static_cast<double>(length);
  }
  const ssize_t read = ::pread(direct.get(), buffer.get(), length, 0);
  if (read != wanted) return unusable("a direct read", read < 0 ? errno : EIO);
  if (const auto zfs_after = zfs_direct_writes(layer); zfs_before && zfs_after) {
    evidence.zfs_direct_writes = *zfs_after - std::min(*zfs_before, *zfs_after);
  }
  struct stat size {};
  if (::fstat(fd, &size) == 0) evidence.record_size = static_cast<std::uint64_t>(size.st_blksize);
  utsname kernel{};
  if (::uname(&kernel) == 0) evidence.kernel = kernel.release;
  DirectVerdict verdict = judge_evidence(layer, evidence);
  if (upper) verdict.reason = "overlay on " + verdict.reason;
  return verdict;
}

std::optional<std::uint64_t> resident_bytes(int fd, std::uint64_t size) {
  // ZFS keeps its data in the ARC, which neither call sees.
  if (const auto magic = filesystem_magic(fd); magic && filesystem_name(*magic) == "zfs") {
    return std::nullopt;
  }
  if (const auto bytes = cachestat_bytes(fd, size)) return bytes;
  return mincore_bytes(fd, size);
}

}  // namespace sthd::host
