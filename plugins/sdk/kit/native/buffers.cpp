#include "kit/native/buffers.hpp"

#include <sys/mman.h>
#include <sys/random.h>

#include <cstring>
#include <new>
#include <utility>

#include "kit/native/random.hpp"

namespace sthd::native {

std::uint64_t fresh_seed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != sizeof seed) throw std::bad_alloc();
  return seed;
}

void fill_random(std::byte* data, std::size_t bytes, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t done = 0; done + 8 <= bytes; done += 8) {
    const std::uint64_t word = random.next();
    std::memcpy(data + done, &word, 8);
  }
}

Buffers::Buffers(std::uint32_t count, std::size_t block_size, BufferKind kind, std::uint64_t seed)
    : block_size_(block_size), kind_(kind), owner_(seed) {
  constexpr std::size_t kPage = 4096;
  stride_ = (block_size + kPage - 1) / kPage * kPage;
  mapped_ = stride_ * count;
  void* mapping = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(mapping);
  if (kind == BufferKind::random) fill_random(data_, mapped_, seed);
}

Buffers::~Buffers() {
  if (data_ != nullptr) ::munmap(data_, mapped_);
}

Buffers::Buffers(Buffers&& other) noexcept { *this = std::move(other); }

Buffers& Buffers::operator=(Buffers&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(stride_, other.stride_);
  std::swap(mapped_, other.mapped_);
  std::swap(block_size_, other.block_size_);
  std::swap(kind_, other.kind_);
  std::swap(stamp_, other.stamp_);
  std::swap(owner_, other.owner_);
  return *this;
}

void Buffers::write_stamp(std::byte* at) noexcept {
  const std::uint64_t mark[2] = {owner_, ++stamp_};
  std::memcpy(at, mark, sizeof mark);
}

}  // namespace sthd::native
