#include "kit/native/series.hpp"

#include <algorithm>
#include <utility>

namespace sthd::native {
namespace {

void put(std::vector<std::uint8_t>& out, std::uint64_t value) {
  constexpr std::uint64_t kMore = 0x80;
  for (; value >= kMore; value >>= 7U) out.push_back(static_cast<std::uint8_t>(value | kMore));
  out.push_back(static_cast<std::uint8_t>(value));
}

std::uint64_t get(const std::vector<std::uint8_t>& in, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = in[at++];
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
}

}  // namespace

void PackedSamples::reserve() {
  constexpr std::size_t kUsual = 200;  // bytes a slice
  slices_.reserve(kMostSamples + 1);
  bins_.reserve((kMostSamples + 1) * kUsual);
}

void PackedSamples::push(const Sample& sample) {
  Slice& slice = slices_.emplace_back();
  slice.begin = bins_.size();
  slice.sample.at_ns = sample.at_ns;
  slice.sample.ios = sample.ios;
  slice.sample.bytes = sample.bytes;
  slice.sample.max_ns = sample.max_ns;
  std::uint64_t before = 0;
  for (const auto& [index, count] : sample.lat) {
    put(bins_, index - before);
    put(bins_, count);
    before = index;
  }
}

Sample PackedSamples::unpack(std::size_t index) const {
  Sample sample = slices_[index].sample;
  const std::size_t end = index + 1 < size() ? slices_[index + 1].begin : bins_.size();
  std::uint64_t bin = 0;
  for (std::size_t at = slices_[index].begin; at < end;) {
    bin += get(bins_, at);
    sample.lat.emplace_back(static_cast<std::uint16_t>(bin), get(bins_, at));
  }
  return sample;
}

void PackedSamples::merge_into_last(const Sample& next) {
  Sample last = unpack(size() - 1);
  merge(last, next);
  bins_.resize(slices_.back().begin);
  slices_.pop_back();
  push(last);
}

void PackedSamples::halve() {
  PackedSamples merged;
  merged.reserve();
  for (std::size_t i = 0; i < size(); i += 2) {
    merged.push(unpack(i));
    if (i + 1 < size()) merged.merge_into_last(unpack(i + 1));
  }
  *this = std::move(merged);
}

std::vector<Sample> PackedSamples::take() {
  std::vector<Sample> all;
  all.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    all.push_back(unpack(i));
    all.back().lat.shrink_to_fit();
  }
  *this = {};
  return all;
}

Series::Series(const Workload& workload)
    : block_size_(workload.block_size),
      tick_ns_(std::max<std::uint64_t>(workload.sample_ns, kMillisecond)),
      used_{workload.op != Op::write, workload.op != Op::read} {
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    if (used_[side]) sides_[side].samples.reserve();
  }
}

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
  for (Side& side : sides_) side.samples.halve();
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
  std::size_t bins = 0;
  for (std::size_t bin = 0; bin < now.size(); ++bin) bins += now[bin] != side.seen[bin] ? 1 : 0;
  sample.lat.reserve(bins);
  for (std::size_t bin = 0; bin < now.size(); ++bin) {
    const std::uint64_t n = now[bin] - side.seen[bin];
    if (n == 0) continue;
    sample.ios += n;
    sample.lat.emplace_back(static_cast<std::uint16_t>(bin), n);
  }
  sample.bytes = sample.ios * block_size_;
  if (longest > 0 && sample.ios > 0) sample.max_ns = longest;
  side.seen = now;
  if (same_slice && side.samples.size() > 0) {
    side.samples.merge_into_last(sample);
  } else {
    side.samples.push(sample);
  }
  side.last = std::move(sample.lat);
}

std::optional<std::uint64_t> Series::newest_p99_ns() const {
  CoarseBins both = sides_[0].last;
  merge_bins(both, sides_[1].last);
  return quantile_ns(both, 0.99);
}

}  // namespace sthd::native
