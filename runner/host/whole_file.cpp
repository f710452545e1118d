#include "runner/host/whole_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace sthd::host {
namespace {

constexpr std::size_t kMost = std::size_t{256} << 20;  // bytes, as much as a record may have
constexpr std::size_t kPiece = std::size_t{1} << 16;

}  // namespace

Outcome<std::string> read_all(int fd) {
  std::string text;
  while (text.size() <= kMost) {
    const std::size_t size = text.size();
    text.resize(size + kPiece);
    const ssize_t n = ::read(fd, text.data() + size, kPiece);
    const int code = errno;
    text.resize(size + static_cast<std::size_t>(n > 0 ? n : 0));
    if (n == 0) break;
    if (n < 0 && code != EINTR) return system_error("", code);
  }
  return text;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace sthd::host
