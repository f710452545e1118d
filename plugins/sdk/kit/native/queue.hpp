#pragma once

#include <sched.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kit/native/clock.hpp"
#include "sthd/job.hpp"
#include "sthd/outcome.hpp"

namespace sthd::native {

/// One I/O on its way. Owned by the worker; the queue may keep the pointer until it is reaped.
struct Slot {
  Op op = Op::read;
  std::uint32_t index = 0;      ///< 0 … depth-1
  std::uint64_t offset = 0;     ///< of the part still to be transferred
  std::byte* data = nullptr;    ///< likewise
  std::size_t length = 0;       ///< likewise, bytes
  std::uint64_t start_ns = 0;   ///< clock before the submission
  std::uint64_t issued_ns = 0;  ///< clock after it
  std::uint64_t due_ns = 0;     ///< with a rate: when it should have started
  std::uint64_t first_offset = 0;
};

/// What the kernel said about a slot: bytes transferred, or -errno.
struct Completed {
  Slot* slot = nullptr;
  std::int64_t result = 0;
};

/// What a queue is opened with. It is opened, used and closed by one thread.
struct QueueSetup {
  int fd = -1;
  std::uint32_t depth = 1;
  std::span<std::byte> memory;  ///< that all data buffers lie in; outlives the queue
  bool poll = false;            ///< Workload::poll
  bool sqpoll = false;          ///< Workload::sqpoll
};

/// The kernel has no room for a submission just now (EAGAIN): for how long to believe that.
class Retry {
 public:
  /// True when it is to be tried again; gives the CPU away meanwhile. False after a second.
  bool again() noexcept {
    const std::uint64_t now = now_ns();
    if (since_ == 0) since_ = now;
    ::sched_yield();
    return now - since_ <= kSecond;
  }

 private:
  std::uint64_t since_ = 0;
};

/// Never ends by itself.
inline constexpr std::uint64_t kNoTimeout = UINT64_MAX;

/// The two kinds of queue: all that a native backend supplies. The kit owns threads, offsets,
/// buffers, clocks, histograms, limits and syncs; it is bound to the queue at compile time, so that
/// no I/O pays for a virtual call.
///
/// A synchronous one does an I/O in a call; each worker has one I/O in flight:
///   std::int64_t transfer(Op, std::byte* data, std::size_t length, std::uint64_t offset);
///                                                        bytes, or -errno
template <class Q>
concept SyncQueue = requires(Q queue, const QueueSetup& setup, std::byte* data) {
  { queue.open(setup) } -> std::same_as<Outcome<Done>>;
  { queue.transfer(Op::read, data, std::size_t{}, std::uint64_t{}) } -> std::same_as<std::int64_t>;
  queue.close();
};

/// Either may have `static constexpr bool kSlowClose = true`: close() waits for the kernel. Then a
/// probe, whose process ends with it anyway, leaves it out.
///
/// The other submits and reaps apart:
///   int submit(std::span<Slot* const>);                  takes all of them, or -errno
///   int ready(std::span<Completed>);                     how many have ended; no waiting
///   int wait(std::span<Completed>, std::uint64_t ns);    at least one, or 0 after `ns`, or -errno
///   std::vector<std::string> notes();                    what did not open as it should
///   static constexpr bool kKernelWorkers;                the kernel may serve it by own threads
template <class Q>
concept AsyncQueue = requires(Q queue, const QueueSetup& setup, std::span<Slot* const> batch,
                              std::span<Completed> out) {
  { queue.open(setup) } -> std::same_as<Outcome<Done>>;
  { queue.submit(batch) } -> std::same_as<int>;
  { queue.ready(out) } -> std::same_as<int>;
  { queue.wait(out, kNoTimeout) } -> std::same_as<int>;
  { queue.notes() } -> std::same_as<std::vector<std::string>>;
  { Q::kKernelWorkers } -> std::convertible_to<bool>;
  queue.close();
};

}  // namespace sthd::native
