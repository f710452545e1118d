#pragma once

#include <unistd.h>

#include <utility>

#include "kit/process/child.hpp"

namespace sthd::process {

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool open() const noexcept { return fd_ >= 0; }
  void reset() noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

/// A started child, seen from its parent. Not yet waited for.
struct Started {
  pid_t pid = -1;
  Descriptor input;  ///< writing end, non-blocking; closed without Command::feed
  /// Our own reading end of the same pipe: what is in there when the child is gone, it did not
  /// take. While we hold it, no SIGPIPE can hit us.
  Descriptor unread;
  Descriptor output;  ///< reading ends, non-blocking
  Descriptor errors;
  Descriptor pidfd;  ///< closed where the kernel has none
};

/// fork and exec. When it returns, the program has been loaded.
[[nodiscard]] Outcome<Started> spawn(const Command& command);

}  // namespace sthd::process
