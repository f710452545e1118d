#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::test {

/// Standard normal numbers, the same everywhere.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : engine_(seed) {}
  double next() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(engine_() >> 11U) * 0x1p-53;
    return sum;
  }

 private:
  std::mt19937_64 engine_;
};

/// How a simulated rate wavers: in each slice by `spread` of itself (standard deviation), alike the
/// slice before by `phi` (an autoregressive process of order 1).
struct Waver {
  double spread = 0;
  double phi = 0;
};

/// A row of one run: `slices` of 100 ms at about `iops`. Half of its I/Os take 1 / rate, the others
/// up to twice as long.
inline ResultRecord simulated_row(double iops, std::size_t slices, const Waver& waver,
                                  Normal& noise) {
  ResultRecord row;
  row.job.id = row.job.label = "row";
  row.job.workload.op = Op::write;
  row.job.workload.runtime_ns = slices * 100 * kMillisecond;
  OpResult result;
  double state = noise.next();
  for (std::size_t i = 1; i <= slices; ++i) {
    state = waver.phi * state + std::sqrt(1 - waver.phi * waver.phi) * noise.next();
    const double rate = iops * std::exp(waver.spread * state);
    const auto ios = static_cast<std::uint64_t>(rate / 10);
    Sample sample{i * 100 * kMillisecond, ios, ios * 4096, {}, {}};
    std::vector<std::uint64_t> bins(CoarseGrid::kBins);
    for (std::uint64_t n = 0; n < ios; ++n) {
      const double slow = n % 2 == 0 ? 1 : 1 + static_cast<double>(n) / static_cast<double>(ios);
      const auto lat_ns = static_cast<std::uint64_t>(slow * 1e9 / rate);
      result.lat.add(lat_ns);
      ++bins[CoarseGrid::index_of(lat_ns)];
    }
    for (std::uint16_t bin = 0; bin < bins.size(); ++bin) {
      if (bins[bin] > 0) sample.lat.emplace_back(bin, bins[bin]);
    }
    result.ios += ios;
    result.samples.push_back(std::move(sample));
  }
  result.bytes = result.ios * 4096;
  result.elapsed_ns = slices * 100 * kMillisecond;
  row.loops.emplace_back().write = std::move(result);
  return row;
}

}  // namespace sthd::test
