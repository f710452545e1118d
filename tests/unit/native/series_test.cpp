#include "kit/native/series.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::native;

namespace {

Workload reads() { return {.op = Op::read, .size = kMiB}; }

std::deque<Worker> one_worker(const Workload& w) {
  std::deque<Worker> workers;
  auto& worker =
      workers.emplace_back(0U, 1U, 7U, Offsets({0, 256}, std::make_shared<Cursor>(), true, w, 1),
                           Buffers(1, 4096, BufferKind::zeros, 1));
  worker.tally(Op::read).lat.open();
  return workers;
}

}  // namespace

TEST_CASE("A slice holds what was added since the one before", "[native][series]") {
  const Workload w = reads();
  auto workers = one_worker(w);
  auto& lat = workers[0].tally(Op::read).lat;
  Series series(w);
  lat.add(10'000);
  series.take(workers, 100 * kMillisecond + 3);
  lat.add(2'000, 4);
  series.take(workers, 200 * kMillisecond + 1);
  series.take(workers, 300 * kMillisecond);
  const auto samples = series.take_samples(Op::read);
  REQUIRE(samples.size() == 3);
  CHECK(samples[0].at_ns == 100 * kMillisecond + 3);
  CHECK(samples[0].ios == 1);
  CHECK(samples[0].max_ns == 10'000);
  CHECK(samples[1].ios == 4);
  CHECK(samples[1].bytes == 4 * 4096);
  CHECK(samples[1].max_ns == 2'000);
  CHECK(samples[2].ios == 0);
  CHECK_FALSE(samples[2].max_ns);
  CHECK(samples[2].lat.empty());
}

TEST_CASE("A long run keeps slices of equal length that add up", "[native][series]") {
  const Workload w = reads();
  auto workers = one_worker(w);
  auto& lat = workers[0].tally(Op::read).lat;
  Series series(w);
  constexpr std::uint64_t kTicks = 7000;
  for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
    lat.add(1000 + tick);
    series.take(workers, tick * 100 * kMillisecond + tick % 7);
  }
  const auto samples = series.take_samples(Op::read);
  CHECK(samples.size() <= kMostSamples);
  CHECK(samples.size() > kMostSamples / 2 - 1);
  std::uint64_t ios = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ios += samples[i].ios;
    if (i + 1 < samples.size()) CHECK(samples[i].ios == samples[0].ios);
  }
  CHECK(ios == kTicks);
  CHECK(samples.back().max_ns == 1000 + kTicks);
}

TEST_CASE("Packed slices come back as they went in, and halve as samples do", "[native][series]") {
  std::vector<Sample> samples{{1, 2, 3, 4, {{0, 1}, {5, UINT64_MAX >> 1U}, {327, 300}}},
                              {2, 0, 0, {}, {}},
                              {3, UINT64_MAX >> 1U, 7, 9, {{127, 127}, {128, 128}}}};
  const auto same = [](const Sample& a, const Sample& b) {
    return a.at_ns == b.at_ns && a.ios == b.ios && a.bytes == b.bytes && a.max_ns == b.max_ns &&
           a.lat == b.lat;
  };
  PackedSamples packed;
  for (const Sample& sample : samples) packed.push(sample);
  packed.merge_into_last(samples[0]);
  merge(samples[2], samples[0]);
  packed.push(samples[1]);
  samples.push_back(samples[1]);
  packed.push(samples[0]);
  samples.push_back(samples[0]);
  packed.halve();
  coarsen(samples, 3);
  REQUIRE(packed.size() == 3);
  const auto found = packed.take();
  CHECK(packed.size() == 0);
  for (std::size_t i = 0; i < 3; ++i) CHECK(same(found[i], samples[i]));
}

TEST_CASE("The newest p99 is of the last slice", "[native][series]") {
  const Workload w = reads();
  auto workers = one_worker(w);
  auto& lat = workers[0].tally(Op::read).lat;
  Series series(w);
  lat.add(1'000'000, 1000);
  series.take(workers, 100 * kMillisecond);
  lat.add(1000, 1000);
  series.take(workers, 200 * kMillisecond);
  REQUIRE(series.newest_p99_ns());
  CHECK(*series.newest_p99_ns() < 1100);
  series.take(workers, 300 * kMillisecond);
  CHECK_FALSE(series.newest_p99_ns());
}
