#include <set>

#include "kit/native/offsets.hpp"
#include "kit/native/random.hpp"
#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::native;

namespace {

Workload workload(Pattern pattern, std::uint32_t threads, std::uint64_t blocks) {
  return Workload{
      .pattern = pattern, .block_size = 4096, .threads = threads, .size = blocks * 4096};
}

Offsets offsets_of(const Workload& w, const Regions& regions, std::uint32_t thread,
                   bool alone = true) {
  return {regions.parts[thread], regions.cursors[thread], alone, w, 3};
}

}  // namespace

TEST_CASE("A bounded draw is uniform and stays below its bound", "[native][random]") {
  Random random(1);
  std::vector<int> hits(7, 0);
  for (int i = 0; i < 70'000; ++i) ++hits.at(random.below(7));
  for (const int n : hits) CHECK(std::abs(n - 10'000) < 500);  // five standard deviations are 463
}

TEST_CASE("A bounded draw reaches both ends of a 16 TiB target in 4 KiB blocks",
          "[native][random]") {
  constexpr std::uint64_t kBlocks = std::uint64_t{1} << 32;
  Random random(2);
  std::uint64_t lowest = kBlocks;
  std::uint64_t highest = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t at = random.below(kBlocks);
    lowest = std::min(lowest, at);
    highest = std::max(highest, at);
  }
  CHECK(lowest < kBlocks / 1000);
  CHECK(highest > kBlocks / 1000 * 999);
  CHECK(highest < kBlocks);
}

TEST_CASE("Sequential threads get parts of their own that do not overlap", "[native][offsets]") {
  const auto w = workload(Pattern::sequential, 4, 10);
  const auto regions = divide(w);
  REQUIRE(regions.ok());
  Random random(7);
  std::set<std::uint64_t> seen;
  for (std::uint32_t thread = 0; thread < 4; ++thread) {
    auto offsets = offsets_of(w, *regions, thread);
    for (int i = 0; i < 2; ++i) CHECK(seen.insert(offsets.next(random)).second);
  }
  CHECK(*seen.rbegin() == 7 * 4096);
}

TEST_CASE("A sequential position wraps at the end of its part", "[native][offsets]") {
  const auto w = workload(Pattern::sequential, 1, 3);
  const auto regions = divide(w);
  auto offsets = offsets_of(w, *regions, 0);
  Random random(7);
  std::vector<std::uint64_t> seen;
  for (int i = 0; i < 4; ++i) seen.push_back(offsets.next(random));
  CHECK(seen == std::vector<std::uint64_t>{0, 4096, 8192, 0});
}

TEST_CASE("Workers of one thread share its position", "[native][offsets]") {
  const auto w = workload(Pattern::sequential, 1, 8);
  const auto regions = divide(w);
  auto one = offsets_of(w, *regions, 0, false);
  auto two = offsets_of(w, *regions, 0, false);
  Random random(7);
  CHECK(one.next(random) == 0);
  CHECK(two.next(random) == 4096);
  CHECK(one.next(random) == 8192);
}

TEST_CASE("A shared region has one position for all threads, the same region one each",
          "[native][offsets]") {
  auto w = workload(Pattern::sequential, 2, 8);
  w.region = Region::shared;
  const auto shared = divide(w);
  CHECK(shared->cursors[0] == shared->cursors[1]);
  w.region = Region::same;
  const auto same = divide(w);
  CHECK(same->cursors[0] != same->cursors[1]);
  CHECK(same->parts[1].first_block == 0);
}

TEST_CASE("Random offsets cover the whole region and nothing beyond", "[native][offsets]") {
  const auto w = workload(Pattern::random, 1, 16);
  const auto regions = divide(w);
  auto offsets = offsets_of(w, *regions, 0);
  Random random(7);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 2000; ++i) seen.insert(offsets.next(random));
  CHECK(seen.size() == 16);
  CHECK(*seen.rbegin() == 15 * 4096);
}

TEST_CASE("A part smaller than a block is refused with the numbers", "[native][offsets]") {
  const auto w = workload(Pattern::sequential, 4, 3);
  const auto regions = divide(w);
  REQUIRE_FALSE(regions.ok());
  CHECK(regions.error().message ==
        "size 12.00 KiB gives 4 threads no block of 4.00 KiB each; ask for a larger --size");
}
