#include "runner/app/report_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "runner/host/whole_file.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

/// A new file beside `file`, or -1.
int open_temporary(const std::string& file, std::string& name) {
  name = fmt::format("{}.{}.tmp", file, ::getpid());
  return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

}  // namespace

bool is_special(const std::string& file) {
  struct stat facts {};
  return ::stat(file.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

Outcome<Done> check_file(const std::string& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode)) {
    return Error{ErrorCode::failed,
                 fmt::format("cannot write {}: it is a directory", display(file)), EISDIR};
  }
  if (is_special(file)) {
    if (::access(file.c_str(), W_OK) == 0) return Done{};
    return system_error("cannot write " + display(file), errno);
  }
  std::string temporary;
  const int fd = open_temporary(file, temporary);
  if (fd < 0) return system_error(fmt::format("cannot write {}", display(file)), errno);
  ::close(fd);
  ::unlink(temporary.c_str());
  return Done{};
}

Outcome<Done> replace_file(const std::string& file, std::string_view text) {
  if (is_special(file)) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    const bool written = fd >= 0 && host::write_all(fd, text);
    const int code = errno;
    if (fd >= 0) ::close(fd);
    if (!written) return system_error("cannot write " + display(file), code);
    return Done{};
  }
  std::string temporary;
  const int fd = open_temporary(file, temporary);
  if (fd < 0) return system_error("cannot write " + display(file), errno);
  bool good = host::write_all(fd, text) && ::fsync(fd) == 0;
  int code = errno;
  good = ::close(fd) == 0 && good;
  if (good && ::rename(temporary.c_str(), file.c_str()) != 0) {
    code = errno;
    good = false;
  }
  if (good) return Done{};
  ::unlink(temporary.c_str());
  return system_error("cannot write " + display(file), code);
}

}  // namespace sthd::app
