#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>

namespace sthd::run {

/// The first 4 KiB of a file such as those in /sys, without what is blank at its end.
inline std::optional<std::string> read_small(const std::string& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::array<char, 4096> buffer;
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  ::close(fd);
  if (n < 0) return std::nullopt;
  std::string text(buffer.data(), static_cast<std::size_t>(n));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

/// Writes to a file that exists, in one call; 0 or its errno.
inline int write_small(const std::string& file, std::string_view text) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return errno;
  const ssize_t n = ::write(fd, text.data(), text.size());
  const int code = n < 0 ? errno : 0;
  ::close(fd);
  return code;
}

}  // namespace sthd::run
