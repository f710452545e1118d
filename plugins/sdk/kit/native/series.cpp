#include "kit/native/series.hpp"

#include <algorithm>

namespace sthd::native {

Series::Series(const Workload& workload)
    : block_size_(workload.block_size),
      tick_ns_(std::max<std::uint64_t>(workload.sample_ns, kMillisecond)),
      used_{workload.op != Op::write, workload.op != Op::read} {}

void Series::take(std::deque<Worker>& workers, std::uint64_t elapsed_ns) {
  // A tick comes a little late, never early: the nearest one is meant.
  const std::uint64_t tick = std::max<std::uint64_t>(1, (elapsed_ns + tick_ns_ / 2) / tick_ns_);
  const std::uint64_t slice = (tick - 1) / ticks_a_slice_;
  const bool same = slice_ == slice;
  slice_ = slice;
  bool full = false;
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    if (!used_[side]) continue;
    take_side(sides_[side], side, workers, elapsed_ns, same);
    full = full || sides_[side].samples.size() > kMostSamples;
  }
  if (!full) return;
  for (Side& side : sides_) coarsen(side.samples, kMostSamples);
  ticks_a_slice_ *= 2;
  slice_ = (tick - 1) / ticks_a_slice_;
}

void Series::take_side(Side& side, std::size_t index, std::deque<Worker>& workers,
                       std::uint64_t elapsed_ns, bool same_slice) {
  Counts now{};
  std::uint64_t longest = 0;
  for (Worker& worker : workers) {
    worker.tallies[index].lat.peek(now.data());
    longest = std::max(longest, worker.tallies[index].lat.take_slice_max());
  }
  Sample sample{.at_ns = elapsed_ns};
  for (std::size_t bin = 0; bin < now.size(); ++bin) {
    const std::uint64_t n = now[bin] - side.seen[bin];
    if (n == 0) continue;
    sample.ios += n;
    sample.lat.emplace_back(static_cast<std::uint16_t>(bin), n);
  }
  sample.bytes = sample.ios * block_size_;
  if (longest > 0 && sample.ios > 0) sample.max_ns = longest;
  side.seen = now;
  side.last = sample.lat;
  if (same_slice && !side.samples.empty()) {
    merge(side.samples.back(), sample);
  } else {
    side.samples.push_back(std::move(sample));
  }
}

std::optional<std::uint64_t> Series::newest_p99_ns() const {
  CoarseBins both = sides_[0].last;
  merge_bins(both, sides_[1].last);
  return quantile_ns(both, 0.99);
}

}  // namespace sthd::native
