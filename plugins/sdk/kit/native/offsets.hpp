#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kit/native/random.hpp"
#include "kit/native/zipf.hpp"
#include "sthd/job.hpp"
#include "sthd/outcome.hpp"

namespace sthd::native {

/// The part of the file that a thread works in, in blocks.
struct Part {
  std::uint64_t first_block = 0;
  std::uint64_t blocks = 0;
};

/// A sequential position, shared by the workers that serve one queue. Alone in its cache line.
struct alignas(64) Cursor {
  std::atomic<std::uint64_t> next{0};
};

/// Where each thread of a workload reads or writes. Region::auto_: own parts for sequential T > 1,
/// the same whole for random. Error when a part would be smaller than one block.
struct Regions {
  std::vector<Part> parts;  ///< per thread
  std::vector<std::shared_ptr<Cursor>>
      cursors;  ///< per thread; one for all where the region is shared
};
Outcome<Regions> divide(const Workload& workload);

/// The offsets of one worker: sequential and wrapping, or random.
class Offsets {
 public:
  /// `alone`: no other worker advances the cursor. `job_seed` is the same for all of a job, so that
  /// they agree on which blocks are popular.
  Offsets(Part part, std::shared_ptr<Cursor> cursor, bool alone, const Workload& workload,
          std::uint64_t job_seed)
      : part_(part),
        cursor_(std::move(cursor)),
        alone_(alone),
        sequential_(workload.pattern == Pattern::sequential),
        block_size_(workload.block_size) {
    if (workload.distribution == Distribution::zipf && !sequential_) {
      zipf_.emplace(part_.blocks, workload.zipf_theta, job_seed);
    }
  }

  /// Byte offset of the next block. `random` is the worker's own.
  std::uint64_t next(Random& random) noexcept {
    if (!sequential_) return (part_.first_block + draw(random)) * block_size_;
    if (alone_) {
      const std::uint64_t offset = (part_.first_block + position_) * block_size_;
      position_ = position_ + 1 == part_.blocks ? 0 : position_ + 1;
      return offset;
    }
    const std::uint64_t ticket = cursor_->next.fetch_add(1, std::memory_order_relaxed);
    return (part_.first_block + ticket % part_.blocks) * block_size_;
  }

 private:
  std::uint64_t draw(Random& random) noexcept {
    if (!zipf_) return random.below(part_.blocks);
    Random in_memory = random;  // a call that takes its address would keep it out of registers
    const std::uint64_t block = zipf_->next(in_memory);
    random = in_memory;
    return block;
  }

  Part part_;
  std::shared_ptr<Cursor> cursor_;
  bool alone_;
  std::optional<Zipf> zipf_;
  bool sequential_;
  std::uint64_t block_size_;
  std::uint64_t position_ = 0;
};

}  // namespace sthd::native
