#include "kit/native/zipf.hpp"

#include <cmath>
#include <set>
#include <vector>

#include "support/catch.hpp"

using namespace sthd::native;

TEST_CASE("Ranks come in proportion to their power", "[native][zipf]") {
  for (const double theta : {0.5, 0.99, 1.0, 1.2, 2.0}) {
    constexpr std::uint64_t kBlocks = 50;
    constexpr int kDraws = 200'000;
    Zipf zipf(kBlocks, theta, 1);
    Random random(42);
    std::vector<int> drawn(kBlocks + 1, 0);
    for (int i = 0; i < kDraws; ++i) ++drawn.at(zipf.rank(random));
    double sum = 0;
    for (std::uint64_t k = 1; k <= kBlocks; ++k) sum += std::pow(static_cast<double>(k), -theta);
    double chi_squared = 0;
    for (std::uint64_t k = 1; k <= kBlocks; ++k) {
      const double expected = kDraws * std::pow(static_cast<double>(k), -theta) / sum;
      const double off = drawn[k] - expected;
      chi_squared += off * off / expected;
    }
    INFO("theta " << theta);
    CHECK(chi_squared < 100);  // 49 degrees of freedom: above 94 once in 10000 seeds
    CHECK(chi_squared > 15);   // and below 18 as rarely: it must not be more even than chance
  }
}

TEST_CASE("Every block has one rank", "[native][zipf]") {
  for (const std::uint64_t blocks : {1ULL, 2ULL, 12ULL, 97ULL, 256ULL}) {
    Zipf zipf(blocks, 1.2, 7);
    Random random(3);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 300'000; ++i) {
      const std::uint64_t block = zipf.next(random);
      REQUIRE(block < blocks);
      seen.insert(block);
    }
    CHECK(seen.size() == blocks);
  }
}

TEST_CASE("The whole of a 16 TiB target is in reach", "[native][zipf]") {
  constexpr std::uint64_t kBlocks = std::uint64_t{16} << 40U >> 9U;
  Zipf zipf(kBlocks, 0.8, 5);
  Random random(11);
  std::uint64_t highest_rank = 0;
  std::uint64_t highest_block = 0;
  for (int i = 0; i < 100'000; ++i) {
    highest_rank = std::max(highest_rank, zipf.rank(random));
    highest_block = std::max(highest_block, zipf.next(random));
  }
  CHECK(highest_rank > kBlocks / 10 * 9);
  CHECK(highest_rank <= kBlocks);
  CHECK(highest_block > kBlocks / 10 * 9);
  CHECK(highest_block < kBlocks);
}

TEST_CASE("Two seeds have other favourites", "[native][zipf]") {
  const auto favourite = [](std::uint64_t seed) {
    Zipf zipf(1'000'000, 5.0, seed);
    Random random(1);
    return zipf.next(random);
  };
  CHECK(favourite(1) != favourite(2));
}
