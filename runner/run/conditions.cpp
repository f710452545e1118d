#include "runner/run/conditions.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace sthd::run {
namespace {

constexpr const char* kLatency = "/dev/cpu_dma_latency";

/// Open, a request that asks for nothing yet.
Outcome<int> open_latency(const std::string& sysroot) {
  std::string file = sysroot;
  while (file.ends_with('/')) file.pop_back();
  file += kLatency;
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd >= 0) return fd;
  const int code = errno;
  Error error = system_error(std::string("cannot open ") + kLatency + " for writing", code,
                             ErrorCode::unavailable);
  error.message += code == ENOENT
                       ? "; this kernel or container does not have it: leave this condition out"
                       : "; run as root";
  return error;
}

}  // namespace

Outcome<Done> check_condition(Condition condition, const std::string& sysroot) {
  switch (condition) {
    case Condition::cores_awake: {
      const auto fd = open_latency(sysroot);
      if (!fd) return fd.error();
      ::close(*fd);
      return Done{};
    }
    case Condition::cores_busy:
      return Spinners::check();
    case Condition::governor_performance:
      return Governors::check(sysroot);
    case Condition::as_is:
      break;
  }
  return Done{};
}

Outcome<Done> HeldCondition::take(Condition condition, const std::string& sysroot) {
  release();
  if (condition == Condition::cores_busy) return spinners_.start();
  if (condition == Condition::governor_performance) return governors_.set(sysroot);
  if (condition != Condition::cores_awake) return Done{};
  const auto fd = open_latency(sysroot);
  if (!fd) return fd.error();
  latency_fd_ = *fd;
  // Documentation/power/pm_qos_interface.rst: microseconds, a signed 32-bit number in binary.
  const std::int32_t none = 0;
  if (::write(latency_fd_, &none, sizeof none) != static_cast<ssize_t>(sizeof none)) {
    const int code = errno;
    release();
    return system_error(std::string("writing to ") + kLatency, code, ErrorCode::unavailable);
  }
  return Done{};
}

void HeldCondition::release() noexcept {
  if (latency_fd_ >= 0) ::close(latency_fd_);
  latency_fd_ = -1;
  spinners_.stop();
  governors_.restore();
}

void HeldCondition::forget() noexcept {
  if (latency_fd_ >= 0) ::close(latency_fd_);
  latency_fd_ = -1;
  spinners_.forget();
  governors_.forget();
}

}  // namespace sthd::run
