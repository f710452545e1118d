#pragma once

#include <cstdint>
#include <vector>

#include "sthd/result.hpp"

namespace sthd::test {

/// 4 KiB O_SYNC writes of one thread, that did so many I/Os in each of its repeats of a second.
inline ResultRecord repeated_row(const std::vector<std::uint64_t>& ios) {
  ResultRecord record;
  Workload& workload = record.job.workload;
  workload.op = Op::write;
  workload.pattern = Pattern::random;
  workload.sync = SyncMode::o_sync;
  workload.repeat = static_cast<std::uint32_t>(ios.size());
  for (std::uint32_t i = 0; i < ios.size(); ++i) {
    LoopResult loop;
    loop.repeat = i;
    loop.write.emplace();
    loop.write->ios = ios[i];
    loop.write->bytes = ios[i] * workload.block_size;
    loop.write->elapsed_ns = kSecond;
    loop.write->lat.add_binned(kSecond / ios[i], ios[i]);
    record.loops.push_back(loop);
  }
  return record;
}

}  // namespace sthd::test
