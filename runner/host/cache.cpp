#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "runner/host/direct.hpp"
#include "runner/host/direct_rules.hpp"

namespace sthd::host {
namespace {

constexpr std::uint64_t kReadChunk = kMiB;
constexpr std::uint64_t kAdviseChunk = 64 * kMiB;

/// Reads [0, size) once through the cache, whatever flags `fd` has; returns the bytes read, fewer
/// at the end of the file (a job that lays nothing out begins with an empty one).
Outcome<std::uint64_t> read_once(int fd, std::uint64_t size) {
  const std::string path = fmt::format("/proc/self/fd/{}", fd);
  const int buffered = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (buffered < 0) return system_error("opening the test file to warm the cache", errno);
  std::vector<char> chunk(kReadChunk);
  std::optional<Error> failure;
  std::uint64_t offset = 0;
  while (offset < size) {
    const auto length = std::min(kReadChunk, size - offset);
    const ssize_t got = ::pread(buffered, chunk.data(), length, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      failure = system_error(fmt::format("warming the cache: read at offset {}", offset), errno);
    }
    if (got <= 0) break;
    offset += static_cast<std::uint64_t>(got);
  }
  ::close(buffered);
  if (failure) return *failure;
  return offset;
}

/// Asks the kernel to forget [0, size); returns what is still resident. Pages that a moment ago
/// were on their way between lists stay the first time.
std::optional<std::uint64_t> forget(int fd, std::uint64_t size) {
  constexpr int kAttempts = 3;
  std::optional<std::uint64_t> resident;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    for (std::uint64_t offset = 0; offset < size; offset += kAdviseChunk) {
      const auto length = std::min(kAdviseChunk, size - offset);
      ::posix_fadvise(fd, static_cast<off_t>(offset), static_cast<off_t>(length),
                      POSIX_FADV_DONTNEED);
    }
    resident = resident_bytes(fd, size);
    if (!resident || *resident == 0) break;
  }
  return resident;
}

/// A cold read cannot be had from a filesystem whose own cache is out of reach.
std::optional<Error> no_cold_read(const Target& target, bool direct) {
  if (keeps_files_in_ram(target)) {
    return Error{ErrorCode::unavailable,
                 fmt::format("{} keeps its files in RAM: there is no cold read", target.filesystem),
                 0};
  }
  if (target.filesystem == "zfs" && !direct) {
    return Error{
        ErrorCode::unavailable,
        "ZFS keeps what it read in the ARC, which cannot be emptied for one file: there is "
        "no cold read",
        0};
  }
  return std::nullopt;
}

Outcome<CacheState> make_cold(int fd, const Workload& workload, const Target& target, bool direct) {
  if (workload.op != Op::write) {
    if (auto error = no_cold_read(target, direct)) return *error;
  }
  if (::fdatasync(fd) != 0) {
    return system_error("fdatasync of the test file before a cold start", errno);
  }
  const auto resident = forget(fd, workload.size);
  CacheState state{.asked = CacheMode::cold,
                   .reached_by = direct ? "O_DIRECT" : "posix_fadvise(DONTNEED)",
                   .verified = std::nullopt};
  if (!resident) return state;
  const bool gone = *resident <= workload.size / 100;
  // This machine's page cache says nothing about a server's.
  if (!gone || !is_served_by_others(target)) state.verified = gone;
  return state;
}

Outcome<CacheState> make_warm(int fd, const Workload& workload) {
  const auto read = read_once(fd, workload.size);
  if (!read) return read.error();
  CacheState state{.asked = CacheMode::warm, .reached_by = "read once", .verified = std::nullopt};
  const auto resident = resident_bytes(fd, *read);
  if (resident && *read > 0) state.verified = *resident >= *read - *read / 100;
  return state;
}

}  // namespace

Outcome<CacheState> reach_cache_state(int fd, const Workload& workload, const Target& target,
                                      bool direct) {
  switch (workload.cache) {
    case CacheMode::cold:
      return make_cold(fd, workload, target, direct);
    case CacheMode::warm:
      return make_warm(fd, workload);
    case CacheMode::as_is:
      break;
  }
  return CacheState{};
}

}  // namespace sthd::host
