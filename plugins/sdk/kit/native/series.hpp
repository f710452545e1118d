#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "kit/native/crew.hpp"
#include "sthd/result.hpp"

namespace sthd::native {

/// Slices of a series in a fraction of a Sample's memory, all of it asked for at the beginning: a
/// long job needs hardly more than a short one.
class PackedSamples {
 public:
  void reserve();
  void push(const Sample& sample);
  /// Adds what follows the last slice to it.
  void merge_into_last(const Sample& next);
  /// Merges neighbours in pairs, as sthd::coarsen() does, once.
  void halve();
  [[nodiscard]] std::size_t size() const { return slices_.size(); }
  /// All of them; none is left.
  [[nodiscard]] std::vector<Sample> take();

 private:
  struct Slice {
    Sample sample;          ///< without its bins
    std::size_t begin = 0;  ///< of its bins in `bins_`, which end where the next ones begin
  };
  [[nodiscard]] Sample unpack(std::size_t index) const;

  std::vector<Slice> slices_;
  /// For each bin its distance from the one before and its count, seven bits a byte.
  std::vector<std::uint8_t> bins_;
};

/// The time series of a loop, taken from the workers' live histograms while they fill: no I/O pays
/// for it. One thread calls it.
class Series {
 public:
  explicit Series(const Workload& workload);

  /// Closes a slice at `elapsed_ns` after the start barrier. Slices are of equal length: when there
  /// are too many, neighbours are merged and later ones are longer.
  void take(std::deque<Worker>& workers, std::uint64_t elapsed_ns);

  /// p99 of the last slice, both directions.
  [[nodiscard]] std::optional<std::uint64_t> newest_p99_ns() const;
  /// The whole of one direction; it is empty afterwards.
  [[nodiscard]] std::vector<Sample> take_samples(Op op) {
    return sides_[op == Op::read ? 0 : 1].samples.take();
  }

 private:
  using Counts = std::array<std::uint64_t, CoarseGrid::kBins>;
  struct Side {
    PackedSamples samples;
    Counts seen{};    ///< all I/Os up to the last slice
    CoarseBins last;  ///< of the last slice
  };
  void take_side(Side& side, std::size_t index, std::deque<Worker>& workers,
                 std::uint64_t elapsed_ns, bool same_slice);

  std::uint64_t block_size_;
  std::uint64_t tick_ns_;
  std::uint64_t ticks_a_slice_ = 1;
  std::optional<std::uint64_t> slice_;  ///< number of the last one
  std::array<Side, 2> sides_;
  std::array<bool, 2> used_;
};

}  // namespace sthd::native
