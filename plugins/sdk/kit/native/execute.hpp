#pragma once

#include "kit/native/worker.hpp"
#include "sthd/backend.hpp"

namespace sthd::native {

/// Most OS threads one job may have.
inline constexpr std::uint32_t kMaxWorkers = 4096;

/// Runs one loop of `job` with `body` as each worker's whole life: threads, start barrier, clocks,
/// limits, syncs, progress, cancellation. A synchronous queue gets Q × T workers of depth 1, the
/// others T of depth Q.
Outcome<LoopResult> execute_with(const Job& job, RunContext& context, bool synchronous,
                                 void (*body)(Worker&, Crew&));

/// The same for a queue type.
template <Queue Q>
Outcome<LoopResult> execute(const Job& job, RunContext& context) {
  return execute_with(job, context, Q::kSynchronous,
                      [](Worker& worker, Crew& crew) { Loop<Q>(worker, crew).run(); });
}

/// One I/O of the job's kind through a queue of the job's depth, for Backend::probe: at offset 0 of
/// request.fd.
template <Queue Q>
Outcome<Done> probe_queue(const ProbeRequest& request) {
  const Workload& w = request.job.workload;
  if (w.op == Op::mixed) {
    return Error{ErrorCode::unavailable, "mixed reads and writes are not offered yet", 0};
  }
  Q queue;
  const std::uint32_t depth = Q::kSynchronous ? 1 : w.queue_depth;
  if (auto opened = queue.open({request.fd, depth}); !opened) return opened.error();
  constexpr std::uint64_t kMostBytes = kMiB;  // what the test file is sure to have
  const std::size_t length = w.block_size < kMostBytes ? w.block_size : kMostBytes;
  Buffers buffers(1, length, w.buffer, fresh_seed());
  Slot slot{
      .op = w.op == Op::read ? Op::read : Op::write, .data = buffers.block(0), .length = length};
  Slot* one = &slot;
  Completed done;
  int rc = queue.submit({&one, 1});
  if (rc >= 0) rc = queue.reap(1, {&done, 1});
  queue.close();
  if (rc < 0) return system_error("submitting one I/O", -rc, ErrorCode::unavailable);
  if (done.result < 0) {
    return system_error(std::string("one ") + std::string(to_text(slot.op)),
                        static_cast<int>(-done.result), ErrorCode::unavailable);
  }
  return Done{};
}

}  // namespace sthd::native
