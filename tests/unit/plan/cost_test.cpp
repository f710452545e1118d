#include "runner/plan/cost.hpp"

#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::plan;

namespace {

Job job(Workload w) {
  return Job{.id = "j", .template_id = "j", .label = "J", .workload = std::move(w)};
}

Target target(std::uint64_t free, std::uint64_t total) {
  Target result;
  result.path = "/mnt/pool";
  result.available_bytes = free;
  result.total_bytes = total;
  return result;
}

}  // namespace

TEST_CASE("A plan costs its loops, its largest file and its limited writes", "[plan][cost]") {
  const auto plan =
      cost({job({.op = Op::read, .runtime_ns = 5 * kSecond, .ramp_ns = kSecond, .size = kGiB}),
            job({.op = Op::write, .loops = 3, .bytes = 10 * kMiB, .size = 64 * kMiB})});
  CHECK_FALSE(plan.estimated_seconds.has_value());
  CHECK(
      cost({job({.runtime_ns = 5 * kSecond, .ramp_ns = kSecond, .loops = 2})}).estimated_seconds ==
      12.0);
  CHECK(plan.space_bytes == kGiB);
  CHECK(plan.written_bytes == kGiB + 30 * kMiB);
}

TEST_CASE("What cannot be known in advance stays unknown", "[plan][cost]") {
  const auto plan =
      cost({job({.op = Op::write, .runtime_ns = kSecond}), job({.op = Op::read, .ios = 100})});
  CHECK_FALSE(plan.written_bytes.has_value());
  CHECK_FALSE(plan.estimated_seconds.has_value());
}

TEST_CASE("How much of a mixed job is written is left to chance", "[plan][cost]") {
  CHECK_FALSE(cost({job({.op = Op::mixed, .ios = 100})}).written_bytes.has_value());
  CHECK(cost({job({.op = Op::write, .ios = 100})}).written_bytes.has_value());
}

TEST_CASE("The test file is made of whole MiB", "[plan][cost]") {
  CHECK(test_file_size({job({.size = kMiB + 1})}) == 2 * kMiB);
  CHECK(test_file_size({}) == 0);
}

TEST_CASE("A job that begins with an empty file needs no layout, and as much as it writes",
          "[plan][cost]") {
  const auto none = [](Workload w) {
    w.op = Op::write;
    w.layout = Layout::none;
    return job(std::move(w));
  };
  const Job limited = none({.block_size = kMiB, .ios = 10, .size = kGiB});
  const Job timed = none({.runtime_ns = kSecond, .size = 3 * kGiB});
  const Job ramped = none({.block_size = kMiB, .ramp_ns = kSecond, .ios = 10, .size = kGiB});
  const Job wrapping = none({.block_size = kMiB, .ios = 5000, .size = kGiB});
  const Job endless = none({.block_size = kGiB, .ios = UINT64_MAX, .size = 2 * kGiB});
  CHECK(layout_size({limited, timed}) == 0);
  CHECK(test_file_size({limited}) == 10 * kMiB);
  CHECK(test_file_size({timed}) == 3 * kGiB);
  CHECK(test_file_size({ramped}) == kGiB);
  CHECK(test_file_size({wrapping}) == kGiB);
  CHECK(test_file_size({endless}) == 2 * kGiB);

  const Job full = job({.runtime_ns = kSecond, .size = 64 * kMiB});
  CHECK(layout_size({timed, full}) == 64 * kMiB);
  CHECK(test_file_size({limited, full}) == 64 * kMiB);
  CHECK(test_file_size({timed, full}) == 3 * kGiB);
}

TEST_CASE("The file is laid out again after a job that emptied it", "[plan][cost]") {
  const Job full = job({.runtime_ns = kSecond, .size = 64 * kMiB});
  const Job none = job({.op = Op::write, .block_size = kMiB, .ios = 3, .layout = Layout::none});
  CHECK(layouts({}) == 0);
  CHECK(layouts({none, none}) == 0);
  CHECK(layouts({full, full, none}) == 1);
  CHECK(layouts({none, full, full, none, none, full}) == 2);
  CHECK(cost({none}).written_bytes == 3 * kMiB);
  CHECK(cost({full, none, full}).written_bytes == 2 * 64 * kMiB + 3 * kMiB);
}

TEST_CASE("A target that would be more than 95 % full is refused with the numbers",
          "[plan][cost]") {
  CHECK(check_space(target(10 * kGiB, 100 * kGiB), 5 * kGiB).ok());
  const auto refused = check_space(target(10 * kGiB, 100 * kGiB), 6 * kGiB);
  REQUIRE_FALSE(refused.ok());
  CHECK(
      refused.error().message ==
      "/mnt/pool has 10.00 GiB of 100.00 GiB free; a test file of 6.00 GiB would fill it to 96 %, "
      "and 95 % is "
      "the limit; use a smaller --size or free some space");
  CHECK_FALSE(check_space(target(kGiB, 2000 * kGiB), 2 * kGiB).ok());
  CHECK(check_space(Target{}, kGiB).ok());
}
