// What the parts of an I/O and of a run cost, each by itself. See ./run-bench.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "kit/native/buffers.hpp"
#include "kit/native/clock.hpp"
#include "kit/native/random.hpp"
#include "runner/profile/profile.hpp"
#include "runner/record/record.hpp"
#include "sthd/histogram.hpp"
#include "support/reports.hpp"

namespace {

using sthd::LatencyHistogram;
using sthd::native::Random;

// The parts of an I/O -----------------------------------------------------------------------------

/// 4096 latencies over four decades, most of them near 100 us.
std::vector<std::uint64_t> latencies() {
  Random random(1);
  std::vector<std::uint64_t> all(4096);
  for (auto& one : all) {
    const auto decade = random.below(100);
    one = (decade < 90 ? 60'000 : decade < 99 ? 400'000 : 20'000'000) + random.below(90'000);
  }
  return all;
}

LatencyHistogram filled() {
  LatencyHistogram histogram;
  for (const std::uint64_t latency : latencies()) histogram.add(latency);
  return histogram;
}

void histogram_add(benchmark::State& state) {
  const auto all = latencies();
  LatencyHistogram histogram;
  std::size_t i = 0;
  for (auto _ : state) histogram.add(all[i++ & 4095]);
  benchmark::DoNotOptimize(histogram);
}
BENCHMARK(histogram_add);

void histogram_merge(benchmark::State& state) {
  const LatencyHistogram more = filled();
  LatencyHistogram sum;
  for (auto _ : state) {
    sum.merge(more);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(histogram_merge);

void histogram_quantile(benchmark::State& state) {
  const LatencyHistogram histogram = filled();
  for (auto _ : state) benchmark::DoNotOptimize(histogram.quantile_ns(0.99));
}
BENCHMARK(histogram_quantile);

void random_bounded(benchmark::State& state) {
  Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(random.below(393'216));
}
BENCHMARK(random_bounded);

void clock_read(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sthd::native::now_ns());
}
BENCHMARK(clock_read);

/// Of a block of 4 KiB, at a queue depth: with many blocks their memory is no longer in a cache.
void block_stamp(benchmark::State& state) {
  const auto depth = static_cast<std::uint32_t>(state.range(0));
  sthd::native::Buffers buffers(depth, 4096, sthd::BufferKind::random, 1);
  std::uint32_t i = 0;
  for (auto _ : state) {
    buffers.stamp(i);
    if (++i == depth) i = 0;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(block_stamp)->Arg(1)->Arg(32)->Arg(4096);

// The parts of a run ------------------------------------------------------------------------------

template <class T>
T take(sthd::profile::Checked<T> checked) {
  if (const auto* faults = std::get_if<sthd::profile::Diagnostics>(&checked)) {
    throw std::runtime_error(sthd::profile::render(*faults));
  }
  return std::get<T>(std::move(checked));
}

const std::filesystem::path kInstalled = std::filesystem::path(STHD_SOURCE_DIR) / "profiles";

/// A profile of 256 cases on four axes, for as long as this lives.
class WideProfile {
 public:
  WideProfile()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("sthd-micro-{}.toml", ::getpid())) {
    std::ofstream(path_) << R"(schema = 1
name = "wide"
title = "256 cases"
extends = "base"
[[job]]
id = "wide"
label = "{op} {pattern} {block_size} Q{queue_depth}T{threads}"
[job.matrix]
op = ["read", "write"]
pattern = ["sequential", "random"]
block_size = ["4KiB", "8KiB", "16KiB", "32KiB", "64KiB", "128KiB", "512KiB", "1MiB"]
queue_depth = [1, 4, 16, 64]
threads = [1, 2]
[[column]]
id = "iops"
title = "IOPS"
metric = "iops"
)";
  }
  ~WideProfile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  WideProfile(const WideProfile&) = delete;
  WideProfile& operator=(const WideProfile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void profile_load(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sthd::profile::load("cdm", {kInstalled}));
}
BENCHMARK(profile_load)->Unit(benchmark::kMicrosecond);

void matrix_of_cdm(benchmark::State& state) {
  const auto profile = take(sthd::profile::load("cdm", {kInstalled}));
  for (auto _ : state) benchmark::DoNotOptimize(take(sthd::profile::expand(profile, {})));
}
BENCHMARK(matrix_of_cdm)->Unit(benchmark::kMicrosecond);

void matrix_of_256_cases(benchmark::State& state) {
  const WideProfile file;
  const auto profile = take(sthd::profile::load(file.path(), {kInstalled}));
  for (auto _ : state) benchmark::DoNotOptimize(take(sthd::profile::expand(profile, {})));
}
BENCHMARK(matrix_of_256_cases)->Unit(benchmark::kMicrosecond);

/// 256 jobs, each with a histogram over four decades, 16 threads and 600 samples.
sthd::Report big_report() {
  sthd::Report report = sthd::test::ok_report();
  sthd::ResultRecord record = report.records.front();
  sthd::LoopResult& loop = record.loops.front();
  auto& op = loop.read ? loop.read : loop.write;
  op->lat = filled();
  op->ios = op->lat.count();
  op->samples.clear();
  for (std::uint64_t i = 1; i <= sthd::kMostSamples; ++i) {
    op->samples.push_back({.at_ns = i * 100'000'000, .ios = 7000, .bytes = 7000 * sthd::kKiB * 4});
  }
  loop.per_thread.clear();
  for (std::uint32_t thread = 0; thread < 16; ++thread) {
    loop.per_thread.push_back({thread, record.job.workload.op, 1U << 30, 262'144, 5'000'000'000});
  }
  record.loops.resize(1);
  report.plan.jobs.clear();
  report.records.clear();
  for (unsigned i = 0; i < 256; ++i) {
    record.job.id = fmt::format("{}/case={}", record.job.template_id, i);
    record.job.label = fmt::format("row {}", i);
    report.plan.jobs.push_back(record.job);
    report.records.push_back(record);
  }
  return report;
}

void json_write(benchmark::State& state) {
  const auto report = big_report();
  std::size_t bytes = 0;
  for (auto _ : state) bytes += sthd::record::to_json(report).size();
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(json_write)->Unit(benchmark::kMillisecond);

void json_read(benchmark::State& state) {
  const std::string text = sthd::record::to_json(big_report());
  for (auto _ : state) {
    auto report = sthd::record::from_json(text);
    if (!report) state.SkipWithError(report.error().message.c_str());
    benchmark::DoNotOptimize(report);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(json_read)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
