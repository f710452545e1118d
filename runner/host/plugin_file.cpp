#include "runner/host/plugin_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>

namespace sthd::host {
namespace {

Error refused(std::string clause) { return Error{ErrorCode::refused, std::move(clause), 0}; }

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// The owner of the running binary: `sudo ./speedtest-hd` in a user's clone trusts that user
/// already.
std::optional<uid_t> binary_owner() {
  struct stat facts {};
  if (::stat("/proc/self/exe", &facts) != 0) return std::nullopt;
  return facts.st_uid;
}

bool trusted(uid_t owner) { return owner == 0 || owner == ::geteuid() || owner == binary_owner(); }

std::string trusted_users() {
  std::string text = "root";
  if (::geteuid() != 0) text += fmt::format(", you (user {})", ::geteuid());
  const auto owner = binary_owner();
  if (owner && *owner != 0 && *owner != ::geteuid()) {
    text += fmt::format(", the owner of speedtest-hd (user {})", *owner);
  }
  return text;
}

/// What is wrong with the owner or mode of `what` ("it", "its folder"), or nothing.
std::optional<Error> judge_owner(const struct stat& facts, const std::string& what,
                                 const std::filesystem::path& path) {
  if (!trusted(facts.st_uid)) {
    return refused(
        fmt::format("{} belongs to user {}, and only {} may own it: if you trust it, "
                    "run chown on {}",
                    what, facts.st_uid, trusted_users(), path.string()));
  }
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refused(
        fmt::format("{} may be written by {} (mode {:04o}), and only its owner may: run "
                    "chmod go-w {}",
                    what, (facts.st_mode & S_IWOTH) != 0 ? "everybody" : "its group",
                    facts.st_mode & 07777, path.string()));
  }
  return std::nullopt;
}

PluginFile identity(const std::filesystem::path& path, const struct stat& facts) {
  return {.path = path,
          .device = facts.st_dev,
          .inode = facts.st_ino,
          .size = static_cast<std::uint64_t>(facts.st_size),
          .changed_ns = facts.st_ctim.tv_sec * 1'000'000'000 + facts.st_ctim.tv_nsec};
}

}  // namespace

Outcome<PluginFile> identify_file(const std::filesystem::path& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return system_error("it cannot be examined", errno);
  return identity(path, facts);
}

Outcome<PluginFile> judge_file(const std::filesystem::path& path) {
  if (!path.is_absolute()) {
    return refused("it is a relative path, and a plugin's must be absolute: begin it with \"/\"");
  }
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) {
    auto error = system_error("it cannot be examined", errno, ErrorCode::refused);
    error.message += ", and a plugin must be a readable file: check its path and permissions";
    return error;
  }
  if (!S_ISREG(facts.st_mode)) {
    return refused(fmt::format(
        "it is {}, and a plugin must be a regular file: {}", kind_of(facts.st_mode),
        S_ISLNK(facts.st_mode) ? "put the file itself here" : "remove it or give it another name"));
  }
  if (auto error = judge_owner(facts, "it", path)) return *error;
  struct stat folder {};
  if (::stat(path.parent_path().c_str(), &folder) != 0) {
    auto error = system_error("its folder cannot be examined", errno, ErrorCode::refused);
    error.message += ": check the folder's permissions";
    return error;
  }
  if (auto error = judge_owner(folder, "its folder", path.parent_path())) return *error;
  return identity(path, facts);
}

}  // namespace sthd::host
