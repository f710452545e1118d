// What the parts of an I/O and of a run cost, each by itself. See ./run-bench.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kit/native/buffers.hpp"
#include "kit/native/clock.hpp"
#include "kit/native/random.hpp"
#include "runner/analyze/analyze.hpp"
#include "runner/profile/profile.hpp"
#include "runner/record/record.hpp"
#include "runner/record/share.hpp"
#include "sthd/histogram.hpp"
#include "support/big_report.hpp"
#include "support/plugins.hpp"

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

/// 500 jobs of five seconds, an expectation of each and a finding about every tenth.
const sthd::Report& big_report() {
  static const sthd::Report kReport = [] {
    sthd::Report report = sthd::test::big_report(
        sthd::test::big_loop({50, 100 * sthd::kMillisecond, 2000, 5, false}), 500);
    const sthd::ExpectedRange range{"lat.p99", {}, 1e6, {}};
    sthd::Expectation all{"quick", sthd::ExpectKind::healthy, {}, {}, "a data sheet", "", {range}};
    for (const sthd::Job& job : report.plan.jobs) {
      all.jobs.push_back(job.id);
      report.judgements.push_back(
          {all.id, job.id, job.workload.op, range, 9e5, sthd::Expected::met, ""});
      if (report.judgements.size() % 10 != 0) continue;
      report.findings.push_back({.code = "not-steady",
                                 .severity = sthd::Severity::suspect,
                                 .job = job.id,
                                 .op = job.workload.op,
                                 .evidence = {},
                                 .mark = "not steady",
                                 .text = fmt::format("{} swings.", job.label),
                                 .remedy = "Run longer."});
    }
    report.expectations.push_back(std::move(all));
    return report;
  }();
  return kReport;
}

const std::string& big_record() {
  static const std::string kText = sthd::record::to_json(big_report());
  return kText;
}

void json_write(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state) bytes += sthd::record::to_json(big_report()).size();
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(json_write)->Unit(benchmark::kMillisecond);

void json_read(benchmark::State& state) {
  const std::string& text = big_record();
  for (auto _ : state) {
    auto report = sthd::record::from_json(text);
    if (!report) state.SkipWithError(report.error().message.c_str());
    benchmark::DoNotOptimize(report);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(json_read)->Unit(benchmark::kMillisecond);

void share(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sthd::record::shared(big_report()));
}
BENCHMARK(share)->Unit(benchmark::kMillisecond);

void judge(benchmark::State& state) {
  sthd::Report report = big_report();
  for (auto _ : state) {
    sthd::analyze::judge(report);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(judge)->Unit(benchmark::kMillisecond);

/// What a format makes of the report of 500 jobs. `render RECORD` does json_read and json_write
/// too.
void render(benchmark::State& state, const sthd::Formatter& formatter) {
  const sthd::FormatInput input{big_report(), big_record()};
  for (auto _ : state) {
    const auto text = formatter.render(input);
    if (!text) state.SkipWithError(text.error().message.c_str());
    benchmark::DoNotOptimize(text);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const auto& entry : sthd::test::plugins().formatters()) {
    benchmark::RegisterBenchmark(("render/" + entry.name).c_str(), render,
                                 std::cref(*entry.formatter))
        ->Unit(benchmark::kMillisecond);
  }
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
