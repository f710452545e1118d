#pragma once

#include <time.h>

#include <cstdint>

namespace sthd::native {

/// CLOCK_MONOTONIC in ns: a vDSO read where the clock source allows it.
inline std::uint64_t now_ns() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace sthd::native
