#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sthd/job.hpp"

namespace sthd::native {

/// The data buffers of one worker: `count` blocks of `block_size` bytes, page-aligned, filled once
/// with incompressible data (or zeros). Move-only owner of the mapping.
class Buffers {
 public:
  Buffers() = default;
  /// Throws std::bad_alloc when the memory cannot be had. `kind` zeros also where nothing will be
  /// written from it.
  Buffers(std::uint32_t count, std::size_t block_size, BufferKind kind, std::uint64_t seed);
  ~Buffers();
  Buffers(Buffers&& other) noexcept;
  Buffers& operator=(Buffers&& other) noexcept;

  [[nodiscard]] std::byte* block(std::uint32_t index) const noexcept {
    return data_ + static_cast<std::size_t>(index) * stride_;
  }

  /// All of them.
  [[nodiscard]] std::span<std::byte> memory() const noexcept { return {data_, mapped_}; }

  /// Makes every 4 KiB of a block differ from every one written before, by this worker or any
  /// other.
  void stamp(std::uint32_t index) noexcept {
    if (kind_ == BufferKind::zeros) return;
    std::byte* at = block(index);
    for (std::size_t done = 0; done < block_size_; done += kStampEvery) write_stamp(at + done);
  }

 private:
  static constexpr std::size_t kStampEvery = 4096;
  void write_stamp(std::byte* at) noexcept;

  std::byte* data_ = nullptr;
  std::size_t stride_ = 0;
  std::size_t mapped_ = 0;
  std::size_t block_size_ = 0;
  BufferKind kind_ = BufferKind::random;
  std::uint64_t stamp_ = 0;
  std::uint64_t owner_ = 0;
};

/// Fills `bytes` (a multiple of 8) with random data.
void fill_random(std::byte* data, std::size_t bytes, std::uint64_t seed);

}  // namespace sthd::native
