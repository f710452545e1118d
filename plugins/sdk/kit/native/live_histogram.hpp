#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "sthd/histogram.hpp"

namespace sthd::native {

/// A LatencyHistogram while it is being filled: by one thread, without a lock or a locked
/// instruction, and readable by another one at the same time (each bin is right, their sum may lag
/// by an I/O in hand). Its memory is mapped, so bins that are never touched cost none, unless it
/// was opened at once. Without memory until open().
class LiveHistogram {
 public:
  using Grid = LatencyHistogram;

  LiveHistogram() = default;
  ~LiveHistogram() {
    if (bins_ != nullptr) ::munmap(bins_, kBytes);
  }
  LiveHistogram(const LiveHistogram&) = delete;
  LiveHistogram& operator=(const LiveHistogram&) = delete;

  enum class Memory {
    as_needed,  ///< a page when its first bin is counted
    at_once,    ///< now for all latencies below half a second: they bring no page fault, no growth
  };
  /// Throws std::bad_alloc when the memory cannot be had.
  void open(Memory memory = Memory::as_needed) {
    void* mapping =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    bins_ = static_cast<Bin*>(mapping);  // zeroed: a valid lock-free atomic each
    if (memory == Memory::as_needed) return;
    constexpr std::size_t kLong = Grid::index_of(std::uint64_t{1} << 29U);
    constexpr std::size_t kStep = 4096 / sizeof(Bin);  // the smallest page there is
    for (std::size_t i = 0; i < kLong; i += kStep) bins_[i].store(0, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_open() const noexcept { return bins_ != nullptr; }

  void add(std::uint64_t ns) noexcept { add(ns, 1); }
  /// `n` I/Os of the same latency.
  void add(std::uint64_t ns, std::uint64_t n) noexcept {
    Bin& bin = bins_[Grid::index_of(ns)];
    bin.store(bin.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    sum_ += ns * n;
    if (ns < min_.load(std::memory_order_relaxed)) min_.store(ns, std::memory_order_relaxed);
    if (ns > max_.load(std::memory_order_relaxed)) max_.store(ns, std::memory_order_relaxed);
    if (ns > slice_max_.load(std::memory_order_relaxed)) {
      slice_max_.store(ns, std::memory_order_relaxed);
    }
  }

  /// Adds what is in it; by the owner, or after its thread has ended.
  void drain_into(LatencyHistogram& total) const {
    if (bins_ == nullptr) return;
    LatencyHistogram mine;
    each([&mine](std::size_t i, std::uint64_t n) { mine.add_binned(Grid::lower_of(i), n); });
    mine.set_exact(min_, max_, sum_);
    total.merge(mine);
  }

  /// Adds the counts so far to `bins`, one for each bin of CoarseGrid. By any thread.
  void peek(std::uint64_t* bins) const noexcept {
    if (bins_ == nullptr) return;
    each([bins](std::size_t i, std::uint64_t n) {
      bins[CoarseGrid::index_of(Grid::lower_of(i))] += n;
    });
  }
  /// The longest since the last call, or 0. By any one thread; a value that arrives during the call
  /// counts for either side.
  std::uint64_t take_slice_max() noexcept {
    return slice_max_.exchange(0, std::memory_order_relaxed);
  }

 private:
  /// The bins that are not empty.
  template <class Visit>
  void each(Visit visit) const {
    const std::uint64_t min = min_.load(std::memory_order_relaxed);
    const std::uint64_t max = max_.load(std::memory_order_relaxed);
    if (max < min) return;
    for (std::size_t i = Grid::index_of(min); i <= Grid::index_of(max); ++i) {
      const std::uint64_t n = bins_[i].load(std::memory_order_relaxed);
      if (n > 0) visit(i, n);
    }
  }

  using Bin = std::atomic<std::uint64_t>;
  static_assert(Bin::is_always_lock_free);
  static constexpr std::size_t kBytes = Grid::kBins * sizeof(Bin);

  Bin* bins_ = nullptr;
  std::uint64_t sum_ = 0;
  std::atomic<std::uint64_t> min_{UINT64_MAX};
  std::atomic<std::uint64_t> max_{0};
  std::atomic<std::uint64_t> slice_max_{0};
};

}  // namespace sthd::native
