#include <cstring>
#include <set>
#include <string>

#include "kit/native/buffers.hpp"
#include "support/catch.hpp"

using namespace sthd;
using sthd::native::Buffers;

TEST_CASE("Every 4 KiB that is written differs from every other", "[native][buffers]") {
  Buffers buffers(2, 16384, BufferKind::random, 42);
  std::set<std::string> seen;
  for (int round = 0; round < 8; ++round) {
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
      buffers.stamp(slot);
      for (std::size_t at = 0; at < 16384; at += 4096) {
        seen.emplace(reinterpret_cast<const char*>(buffers.block(slot) + at), 4096);
      }
    }
  }
  CHECK(seen.size() == 8 * 2 * 4);
}

TEST_CASE("Two workers write different blocks", "[native][buffers]") {
  Buffers one(1, 4096, BufferKind::random, 1);
  Buffers two(1, 4096, BufferKind::random, 2);
  one.stamp(0);
  two.stamp(0);
  CHECK(std::memcmp(one.block(0), two.block(0), 4096) != 0);
}

TEST_CASE("Blocks smaller than 4 KiB are stamped too and do not share a page",
          "[native][buffers]") {
  Buffers buffers(2, 512, BufferKind::random, 3);
  CHECK(buffers.block(1) - buffers.block(0) == 4096);
  const std::string before(reinterpret_cast<const char*>(buffers.block(0)), 512);
  buffers.stamp(0);
  CHECK(before != std::string(reinterpret_cast<const char*>(buffers.block(0)), 512));
}

TEST_CASE("Zeros stay zeros", "[native][buffers]") {
  Buffers buffers(1, 8192, BufferKind::zeros, 5);
  buffers.stamp(0);
  const std::string zeros(8192, '\0');
  CHECK(std::memcmp(buffers.block(0), zeros.data(), zeros.size()) == 0);
}

TEST_CASE("Buffers are aligned for O_DIRECT", "[native][buffers]") {
  Buffers buffers(3, 12345, BufferKind::random, 6);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(reinterpret_cast<std::uintptr_t>(buffers.block(i)) % 4096 == 0);
  }
}
