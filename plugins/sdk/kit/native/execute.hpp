#pragma once

#include <concepts>
#include <string>

#include "kit/native/async_loop.hpp"
#include "kit/native/sync_loop.hpp"
#include "sthd/backend.hpp"

namespace sthd::native {

/// Most OS threads one job may have.
inline constexpr std::uint32_t kMaxWorkers = 4096;

/// What the kit has to know of a queue's kind.
struct QueueTraits {
  bool synchronous = false;     ///< Q × T workers of depth 1, instead of T of depth Q
  bool kernel_workers = false;  ///< look for the kernel's own I/O threads
};

/// Runs one loop of `job` with `body` as each worker's whole life: threads, start barrier, clocks,
/// limits, syncs, progress, cancellation.
Outcome<LoopResult> execute_with(const Job& job, RunContext& context, QueueTraits traits,
                                 void (*body)(Worker&, Crew&));

/// The same for a queue type.
template <class Q>
Outcome<LoopResult> execute(const Job& job, RunContext& context) {
  if constexpr (SyncQueue<Q>) {
    return execute_with(job, context, {.synchronous = true},
                        [](Worker& worker, Crew& crew) { SyncLoop<Q>(worker, crew).run(); });
  } else {
    static_assert(AsyncQueue<Q>);
    return execute_with(job, context, {.kernel_workers = Q::kKernelWorkers},
                        [](Worker& worker, Crew& crew) { AsyncLoop<Q>(worker, crew).run(); });
  }
}

/// One I/O through an open queue: its result, or -errno of the submission as an Error.
template <class Q>
Outcome<std::int64_t> one_io(Q& queue, Slot& slot) {
  if constexpr (SyncQueue<Q>) {
    return queue.transfer(slot.op, slot.data, slot.length, slot.offset);
  } else {
    Slot* one = &slot;
    Completed done;
    int rc = queue.submit({&one, 1});
    if (rc >= 0) rc = queue.wait({&done, 1}, kNoTimeout);
    if (rc < 0) return system_error("submitting one I/O", -rc, ErrorCode::unavailable);
    return done.result;
  }
}

/// One I/O of the job's kind through a queue of the job's depth, for Backend::probe: at offset 0 of
/// request.fd. The notes say what did not open as it should.
template <class Q>
Outcome<std::vector<std::string>> probe_queue(const ProbeRequest& request) {
  const Workload& w = request.job.workload;
  constexpr std::uint64_t kMostBytes = kMiB;  // what the test file is sure to have
  const std::size_t length = w.block_size < kMostBytes ? w.block_size : kMostBytes;
  Buffers buffers(1, length, w.buffer, fresh_seed());
  Q queue;
  const auto opened = queue.open({.fd = request.fd,
                                  .depth = SyncQueue<Q> ? 1 : w.queue_depth,
                                  .memory = buffers.memory(),
                                  .poll = w.poll,
                                  .sqpoll = w.sqpoll});
  if (!opened) return opened.error();
  Slot slot{
      .op = w.op == Op::read ? Op::read : Op::write, .data = buffers.block(0), .length = length};
  const auto result = one_io(queue, slot);
  std::vector<std::string> notes;
  if constexpr (AsyncQueue<Q>) notes = queue.notes();
  if constexpr (!requires { Q::kSlowClose; }) queue.close();
  if (!result) return result.error();
  if (*result < 0) {
    return system_error(std::string("one ") + std::string(to_text(slot.op)),
                        static_cast<int>(-*result), ErrorCode::unavailable);
  }
  return notes;
}

}  // namespace sthd::native
