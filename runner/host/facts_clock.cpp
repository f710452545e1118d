#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

#include "runner/host/facts_source.hpp"

namespace sthd::host::facts {
namespace {

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// Median cost of a clock read, over 1000 reads or 10 ms of them: some clocks cost 50 us. A sample
/// is ten reads long, because one takes less than the clock can tell; the median leaves out those
/// during which something else ran.
double read_cost_ns() {
  constexpr int kReads = 10;
  constexpr std::size_t kSamples = 100;
  constexpr std::int64_t kEnough = 10'000'000;
  std::vector<std::int64_t> samples;
  samples.reserve(kSamples);
  const std::int64_t begin = now_ns();
  for (std::int64_t last = begin; samples.size() < kSamples && last - begin < kEnough;) {
    std::int64_t now = last;
    for (int i = 0; i < kReads; ++i) now = now_ns();
    samples.push_back(now - last);
    last = now;
  }
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return static_cast<double>(*middle) / kReads;
}

}  // namespace

void add_clock(const Sysroot& sysroot, FactList& out) {
  out.text("clock.source",
           sysroot.line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
           "/sys does not name it");
  if (sysroot.real()) {
    out.number("clock.read_ns", read_cost_ns());
  } else {
    out.number("clock.read_ns", sysroot.number("/measured/clock.read_ns"),
               "it is measured on a running machine only");
  }
}

}  // namespace sthd::host::facts
