#pragma once

#include <cstddef>
#include <cstdint>

#include "sthd/report.hpp"

namespace sthd::test {

/// How a loop went that fills a record as a busy disk does.
struct Course {
  std::size_t slices = 0;
  std::uint64_t slice_ns = 0;
  std::size_t ios_in_slice = 2000;  ///< different ones
  std::uint64_t times = 1;          ///< that each of them is counted
  bool both = false;                ///< reads and writes
};

/// Latencies with a long tail, 16 threads, 75 counters.
LoopResult big_loop(const Course& course);
/// `jobs` jobs of that one loop each.
Report big_report(const LoopResult& loop, std::size_t jobs);

}  // namespace sthd::test
