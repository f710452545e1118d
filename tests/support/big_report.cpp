#include "support/big_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "support/reports.hpp"

namespace sthd::test {
namespace {

constexpr double kMillion = 1e6;

/// Latencies with a long tail, as a busy disk has: near 90 us, three in a hundred far longer.
class Latencies {
 public:
  std::uint64_t next() {
    const bool slow = engine_() % 100 < 3;
    const double spread = slow ? 1.0 : 0.5;
    return static_cast<std::uint64_t>((slow ? 2e6 : 9e4) * std::exp(spread * normal()));
  }

 private:
  /// Sum of twelve: the standard distributions differ between libraries, and a size must not.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(engine_() % 1'000'000) / kMillion;
    return sum;
  }
  std::mt19937_64 engine_{1};
};

OpResult measured(const Course& course) {
  Latencies latencies;
  OpResult op;
  for (std::size_t i = 1; i <= course.slices; ++i) {
    const std::uint64_t ios = course.ios_in_slice * course.times;
    Sample sample{i * course.slice_ns + 123'456, ios, ios * 4096, 0, {}};
    std::array<std::uint64_t, CoarseGrid::kBins> bins{};
    for (std::size_t n = 0; n < course.ios_in_slice; ++n) {
      const std::uint64_t ns = latencies.next();
      op.lat.add_binned(ns, course.times);
      sample.max_ns = std::max(*sample.max_ns, ns);
      bins.at(CoarseGrid::index_of(ns)) += course.times;
    }
    for (std::uint16_t bin = 0; bin < bins.size(); ++bin) {
      if (bins.at(bin) > 0) sample.lat.emplace_back(bin, bins.at(bin));
    }
    op.samples.push_back(std::move(sample));
  }
  op.ios = op.lat.count();
  op.bytes = op.ios * 4096;
  op.elapsed_ns = course.slices * course.slice_ns;
  return op;
}

}  // namespace

LoopResult big_loop(const Course& course) {
  LoopResult loop;
  loop.read = measured(course);
  if (course.both) loop.write = loop.read;
  loop.cpu = CpuUse{4'123'456'789, 3'987'654'321, 123'456, 1'234};
  loop.submit_ns = 2'123'456'789;
  for (std::uint32_t i = 0; i < 16; ++i) {
    loop.per_thread.push_back({i, Op::read, 1'234'567'890, 301'408, 5'000'123'456, 123'456});
  }
  for (int i = 0; i < 60; ++i) {
    loop.counters.push_back({fmt::format("disk.{}.counter_{}_bytes", i % 2, i), 123'456'789.0, ""});
  }
  for (int i = 0; i < 15; ++i) {
    loop.counters.push_back(
        {fmt::format("zil.counter_{}_bytes", i), {}, "/proc/spl/kstat/zfs/zil does not tell"});
  }
  loop.notes = {"the queue was served by 16 threads"};
  return loop;
}

Report big_report(const LoopResult& loop, std::size_t jobs) {
  Report report = ok_report();
  ResultRecord record = report.records.front();
  record.loops = {loop};
  report.records.clear();
  report.plan.jobs.clear();
  for (std::size_t i = 0; i < jobs; ++i) {
    record.job.id = fmt::format("wide/block_size=4096,op=read,queue_depth=32,threads={}", i);
    record.job.label = fmt::format("RND4K Q32T{}", i);
    record.fio_command =
        "fio --name=row --rw=randread --bs=4096 --iodepth=32 --numjobs=16 "
        "--ioengine=io_uring --direct=1 --size=1073741824 --time_based "
        "--runtime=5000ms --ramp_time=1000ms --filename=/mnt/pool/fio.file";
    report.plan.jobs.push_back(record.job);
    report.records.push_back(record);
  }
  return report;
}

}  // namespace sthd::test
