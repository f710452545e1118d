#pragma once

#include <cstdint>

#include "sthd/result.hpp"

namespace sthd::native {

/// CPU time and context switches of this process so far.
CpuUse cpu_use();

/// The kernel's I/O threads of this process: they stay for seconds after their last work.
std::uint32_t count_kernel_workers();

}  // namespace sthd::native
