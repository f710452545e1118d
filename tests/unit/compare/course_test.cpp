#include "runner/compare/course.hpp"

#include "support/catch.hpp"

namespace sthd::compare {
namespace {

CoarseBins bins_of(std::uint64_t ns, std::uint64_t count) {
  return {{static_cast<std::uint16_t>(CoarseGrid::index_of(ns)), count}};
}

/// Three slices of a second: 100 I/Os of 1024 ns, none, 300 of 2048 ns.
std::vector<Sample> samples() {
  return {{kSecond, 100, 409'600, {}, bins_of(1024, 100)},
          {2 * kSecond, 0, 0, {}, {}},
          {3 * kSecond, 300, 1'228'800, {}, bins_of(2048, 300)}};
}

}  // namespace

TEST_CASE("A course as a whole has the rate and the latencies of all slices", "[compare][course]") {
  const Stretch whole = Course(samples()).whole();
  CHECK(*whole.rate() * 1e9 == Approx(400.0 / 3));
  CHECK(*whole.mean() == Approx((100 * 1088.0 + 300 * 2176.0) / 400));
  // Rank 200 is the 100th of 300 in a bin that is 256 wide.
  CHECK(*whole.quantile(0.5) == Approx(2048 + 256.0 / 3));
  CHECK(*whole.quantile(0.25) == Approx(1024 + 128.0));
  CHECK_FALSE(whole.quantile(0.999));  // less than one I/O is beyond it
}

TEST_CASE("Blocks that are drawn are stretches of the course", "[compare][course]") {
  const Course course(samples());
  native::Random random(1);
  CHECK(course.slices() == 3);
  CHECK(*course.drawn(1, 3, random).rate() == *course.whole().rate());
  for (int i = 0; i < 20; ++i) {
    const auto rate = course.drawn(1, 1, random).rate();
    if (!rate) continue;  // the slice in which nothing ended
    CHECK((*rate * 1e9 == Approx(100) || *rate * 1e9 == Approx(300)));
  }
}

TEST_CASE("A course without I/Os or latencies does not know them", "[compare][course]") {
  CHECK_FALSE(Course(std::vector<Sample>{}).whole().rate());
  CHECK_FALSE(Course(std::vector<Sample>{}).whole().mean());
  CHECK_FALSE(Course(std::vector<Sample>{}).whole().quantile(0.5));
  std::vector<Sample> bytes = samples();
  for (Sample& sample : bytes) sample.ios = 0;
  CHECK(*Course(bytes).whole().rate() * 1e9 == Approx(1'638'400.0 / 3));
}

}  // namespace sthd::compare
