#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "sthd/job.hpp"
#include "sthd/units.hpp"

namespace sthd::process {

/// What a child gets to write: random bytes made once, with a number in each 4 KiB that never comes
/// twice, so that nothing can be compressed or found to be a copy.
class Source {
 public:
  explicit Source(BufferKind kind) : kind_(kind), words_(kMiB / sizeof(std::uint64_t)) {
    if (kind == BufferKind::zeros) return;
    std::mt19937_64 random{std::random_device{}()};
    for (auto& word : words_) word = random();
  }

  /// The next piece of a chunk of which `left` bytes are missing; empty at its end.
  std::span<const std::byte> next(std::uint64_t& left) {
    constexpr std::size_t kStep = 4 * kKiB / sizeof(std::uint64_t);
    for (std::size_t i = 0; kind_ == BufferKind::random && i < words_.size(); i += kStep) {
      words_[i] += kOdd;
    }
    const auto all = std::as_bytes(std::span(words_));
    const auto piece = all.first(std::min<std::uint64_t>(all.size(), left));
    left -= piece.size();
    return piece;
  }

 private:
  static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // visits all 2^64 values
  BufferKind kind_;
  std::vector<std::uint64_t> words_;
};

}  // namespace sthd::process
