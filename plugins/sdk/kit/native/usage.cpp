#include "kit/native/usage.hpp"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "sthd/units.hpp"

namespace sthd::native {

CpuUse cpu_use() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * kSecond +
           static_cast<std::uint64_t>(t.tv_usec) * 1000;
  };
  return {ns(usage.ru_utime), ns(usage.ru_stime), static_cast<std::uint64_t>(usage.ru_nvcsw),
          static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

std::uint32_t count_kernel_workers() {
  std::uint32_t count = 0;
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream comm(task.path() / "comm");
    std::string name;
    if (std::getline(comm, name) && name.starts_with("iou-wrk")) ++count;
  }
  return count;
}

}  // namespace sthd::native
