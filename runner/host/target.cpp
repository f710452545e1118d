#include "runner/host/target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string_view>

#include "runner/host/kernel_calls.hpp"
#include "runner/host/mountinfo.hpp"

namespace sthd::host {
namespace {

/// Filesystems of the kernel itself: nothing written there is stored anywhere.
constexpr std::array<std::string_view, 16> kPseudo{
    "proc",    "sysfs", "devtmpfs", "devpts",   "cgroup",      "cgroup2", "securityfs", "debugfs",
    "tracefs", "bpf",   "pstore",   "configfs", "binfmt_misc", "mqueue",  "efivarfs",   "fusectl"};

const char* kind_of(mode_t mode) {
  if (S_ISREG(mode)) return "a file";
  if (S_ISBLK(mode)) return "a block device";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "no directory";
}

Error refused(std::string sentence, int code = 0) {
  return Error{ErrorCode::refused, std::move(sentence), code};
}

Error explain_open(const std::string& path, int code) {
  if (code == ENOENT) {
    return refused(fmt::format("\"{}\" does not exist; it is never created here: mount it, create "
                               "it, or correct the path",
                               path),
                   code);
  }
  struct stat facts {};
  if (code == ENOTDIR && ::stat(path.c_str(), &facts) == 0) {
    return refused(fmt::format("\"{}\" is {}, and a target is an existing directory: name the "
                               "directory to test in",
                               path, kind_of(facts.st_mode)),
                   code);
  }
  auto error = system_error(fmt::format("\"{}\" cannot be opened as a directory", path), code,
                            ErrorCode::refused);
  error.message += ": name a directory that you may read and write";
  return error;
}

std::string link_text(const std::string& path) {
  std::string text(PATH_MAX, '\0');
  const ssize_t length = ::readlink(path.c_str(), text.data(), text.size());
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

/// The block device's numbers; btrfs has an anonymous one of its own and names its device as
/// source.
std::string device_of(const Mount& mount) {
  if (!mount.device.starts_with("0:")) return mount.device;
  struct stat facts {};
  if (!mount.source.starts_with("/dev/") || ::stat(mount.source.c_str(), &facts) != 0 ||
      !S_ISBLK(facts.st_mode)) {
    return {};
  }
  return fmt::format("{}:{}", major(facts.st_rdev), minor(facts.st_rdev));
}

std::string first_line(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

void fill_mount(int fd, std::uint64_t mount_id, Target& target) {
  const auto mount = find_mount(read_small_file("/proc/self/mountinfo"), mount_id);
  if (mount) {
    target.filesystem = mount->filesystem;
    target.mount_point = mount->mount_point;
    target.mount_options = mount->all_options();
    target.source = mount->source;
    target.device = device_of(*mount);
  } else if (const auto magic = filesystem_magic(fd)) {
    target.filesystem = filesystem_name(*magic);
  }
  if (target.filesystem == "zfs") {
    target.filesystem_version = first_line(read_small_file("/sys/module/zfs/version"));
  }
}

void fill_space(int fd, Target& target) {
  struct statvfs space {};
  if (::fstatvfs(fd, &space) != 0 || space.f_blocks == 0) return;
  target.total_bytes = std::uint64_t{space.f_blocks} * space.f_frsize;
  target.available_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
}

}  // namespace

Outcome<int> open_directory(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return explain_open(path, errno);
  return fd;
}

Outcome<Target> inspect(int directory_fd, const std::string& path) {
  struct stat facts {};
  if (::fstat(directory_fd, &facts) != 0) {
    return system_error(fmt::format("\"{}\" cannot be examined", path), errno, ErrorCode::refused);
  }
  if (facts.st_nlink == 0) {
    return refused(
        fmt::format("\"{}\" has just been deleted: create it again or name another "
                    "directory",
                    path));
  }
  Target target;
  target.path = path;
  target.kind = TargetKind::directory;
  target.resolved_path = link_text(fmt::format("/proc/self/fd/{}", directory_fd));
  const FileFacts more = file_facts(directory_fd);
  fill_mount(directory_fd, more.mount_id.value_or(0), target);
  fill_space(directory_fd, target);
  if (std::ranges::find(kPseudo, target.filesystem) != kPseudo.end()) {
    return refused(
        fmt::format("\"{}\" lies in {}, which belongs to the kernel and stores nothing: "
                    "name a directory on a disk",
                    path, target.filesystem));
  }
  return target;
}

}  // namespace sthd::host
