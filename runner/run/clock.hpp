#pragma once

#include <time.h>

#include <cstdint>

#include "sthd/units.hpp"

namespace sthd::run {

/// CLOCK_MONOTONIC, ns.
inline std::uint64_t monotonic_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * kSecond + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace sthd::run
