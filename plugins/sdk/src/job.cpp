#include "sthd/job.hpp"

#include <algorithm>

namespace sthd {

std::uint64_t limit_in_ios(const Workload& workload) {
  const std::uint64_t by_bytes = (workload.bytes + workload.block_size - 1) / workload.block_size;
  if (workload.ios > 0 && by_bytes > 0) return std::min(workload.ios, by_bytes);
  if (workload.ios > 0 || by_bytes > 0) return std::max(workload.ios, by_bytes);
  return workload.runtime_ns > 0 ? 0 : workload.size / workload.block_size;
}

}  // namespace sthd
