#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sthd/job.hpp"
#include "sthd/outcome.hpp"

namespace sthd::native {

/// One I/O on its way. Owned by the worker; the queue may keep the pointer until it is reaped.
struct Slot {
  Op op = Op::read;
  std::uint64_t offset = 0;     ///< of the part still to be transferred
  std::byte* data = nullptr;    ///< likewise
  std::size_t length = 0;       ///< likewise, bytes
  std::uint32_t index = 0;      ///< 0 … depth-1
  std::uint64_t start_ns = 0;   ///< clock before the submission
  std::uint64_t issued_ns = 0;  ///< clock after it
  std::uint64_t first_offset = 0;
};

/// What the kernel said about a slot: bytes transferred, or -errno.
struct Completed {
  Slot* slot = nullptr;
  std::int64_t result = 0;
};

struct QueueSetup {
  int fd = -1;
  std::uint32_t depth = 1;
};

/// All that a native backend supplies. The kit owns threads, offsets, buffers, clocks, histograms,
/// limits and syncs; it is bound to the queue at compile time, so that no I/O pays for a virtual
/// call.
///
///   static constexpr bool kSynchronous;          submit() returns after the I/O; depth is 1 a
///   worker Outcome<Done> open(const QueueSetup&); int submit(std::span<Slot* const>);          all
///   of them, or -errno int reap(unsigned min, std::span<Completed>) how many (at least min,
///   waiting for them), or -errno void close();
template <class Q>
concept Queue = requires(Q queue, const QueueSetup& setup, std::span<Slot* const> batch,
                         std::span<Completed> out) {
  { Q::kSynchronous } -> std::convertible_to<bool>;
  { queue.open(setup) } -> std::same_as<Outcome<Done>>;
  { queue.submit(batch) } -> std::same_as<int>;
  { queue.reap(1U, out) } -> std::same_as<int>;
  queue.close();
};

}  // namespace sthd::native
