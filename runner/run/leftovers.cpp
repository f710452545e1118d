#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <string>
#include <vector>

#include "runner/run/tasks.hpp"
#include "sthd/text.hpp"

namespace sthd::run {
namespace {

constexpr std::string_view kPrefix = "speedtest-hd-";
constexpr std::string_view kSuffix = ".bench";

/// Why a file of our name is not ours to remove; empty when it is.
std::string not_ours(int fd, const struct stat& facts) {
  if (!S_ISREG(facts.st_mode)) return "it is not a regular file";
  if (facts.st_nlink != 1) return "it has other names too";
  if (facts.st_uid != ::geteuid()) return "it belongs to another user; run cleanup as that user";
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return "a run is using it";
  char value[64];
  if (::fgetxattr(fd, kOwnerAttribute, value, sizeof value) < 0 && errno == ENODATA) {
    return "it does not carry our mark; remove it by hand if you know it";
  }
  return {};
}

std::string clean_one(int directory, const std::string& name, bool remove) {
  const int fd = ::openat(directory, name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return fmt::format("left {}: {}", name, system_error("open", errno).message);
  struct stat facts {};
  std::string reason = ::fstat(fd, &facts) != 0 ? "fstat failed" : not_ours(fd, facts);
  const std::string size = human_size(static_cast<std::uint64_t>(facts.st_size));
  std::string line;
  if (!reason.empty()) {
    line = fmt::format("left {} ({}): {}", name, size, reason);
  } else if (!remove) {
    line = fmt::format("{} ({}) was left by a run that was killed", name, size);
  } else if ([[maybe_unused]] const int truncated = ::ftruncate(fd, 0);
             ::unlinkat(directory, name.c_str(), 0) == 0) {
    line = fmt::format("removed {} ({})", name, size);
  } else {
    line = fmt::format("left {}: {}", name, system_error("removing it", errno).message);
  }
  ::close(fd);
  return line;
}

}  // namespace

bool is_test_file_name(std::string_view name) {
  if (name.size() != kPrefix.size() + 8 + kSuffix.size()) return false;
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return false;
  const auto hex = name.substr(kPrefix.size(), 8);
  return std::all_of(hex.begin(), hex.end(), [](unsigned char c) {
    return std::isdigit(c) != 0 || (c >= 'a' && c <= 'f');
  });
}

std::vector<std::string> clean_directory(int directory, bool remove) {
  std::vector<std::string> names;
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* folder = copy >= 0 ? ::fdopendir(copy) : nullptr;
  if (folder == nullptr) return {};
  while (const dirent* entry = ::readdir(folder)) {
    if (is_test_file_name(entry->d_name)) names.emplace_back(entry->d_name);
  }
  ::closedir(folder);
  std::sort(names.begin(), names.end());
  std::vector<std::string> lines;
  lines.reserve(names.size());
  for (const auto& name : names) lines.push_back(clean_one(directory, name, remove));
  return lines;
}

}  // namespace sthd::run
