#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace sthd::native {

/// A file of each thread's own. The kernel counts the users of an open file in one place, which two
/// threads that share it would pass to and fro with every call (pread of cached pages by two
/// threads gave 1.8 times what one does, with two files 2.0), and its readahead follows one stream.
class ThreadFiles {
 public:
  ThreadFiles() = default;
  ThreadFiles(const ThreadFiles&) = delete;
  ThreadFiles& operator=(const ThreadFiles&) = delete;
  ~ThreadFiles() {
    for (const int fd : own_) ::close(fd);
  }
  /// The first thread's is `shared`, and so is any that cannot be opened.
  int of(std::uint32_t thread, int shared) {
    if (thread == 0) return shared;
    while (own_.size() < thread) {
      const int flags = ::fcntl(shared, F_GETFL) & (O_ACCMODE | O_DIRECT | O_SYNC | O_DSYNC);
      const int fd = ::open(fmt::format("/proc/self/fd/{}", shared).c_str(), flags | O_CLOEXEC);
      if (fd < 0) return shared;
      own_.push_back(fd);
    }
    return own_[thread - 1];
  }

 private:
  std::vector<int> own_;
};

}  // namespace sthd::native
