#include "kit/native/offsets.hpp"

#include <fmt/format.h>

namespace sthd::native {

Outcome<Regions> divide(const Workload& workload) {
  Region region = workload.region;
  if (region == Region::auto_) {
    region = workload.pattern == Pattern::sequential && workload.threads > 1 ? Region::own
                                                                             : Region::same;
  }
  const std::uint64_t blocks = workload.size / workload.block_size;
  const std::uint64_t shares = region == Region::own ? workload.threads : 1;
  if (blocks / shares == 0) {
    return Error{
        ErrorCode::refused,
        fmt::format("size {} gives {} threads no block of {} each; ask for a larger --size",
                    human_size(workload.size), shares, human_size(workload.block_size)),
        0};
  }
  Regions result;
  const auto one = std::make_shared<Cursor>();
  for (std::uint32_t thread = 0; thread < workload.threads; ++thread) {
    const std::uint64_t each = blocks / shares;
    result.parts.push_back(region == Region::own ? Part{thread * each, each} : Part{0, blocks});
    result.cursors.push_back(region == Region::shared ? one : std::make_shared<Cursor>());
  }
  return result;
}

}  // namespace sthd::native
