#pragma once

#include <algorithm>
#include <optional>

#include "runner/analyze/measured.hpp"

// What cpu_bound and cpu_stolen have in common: where the time of the job's own threads went.
namespace sthd::analyze {

struct OwnTime {
  double threads_ns = 0;  ///< that its threads could have run: each, but no more than the cores
  double cpu_ns = 0;      ///< that they did run, in user space and in the kernel
  std::optional<double> wait_ns;  ///< that they were ready and waited for a core
};

/// Operating system threads that issue the I/O.
inline double workers_of(const ResultRecord& record) {
  return std::max<double>(record.job.workload.threads, record.resolution.workers);
}
inline std::optional<double> cores_of(const Report& report) {
  const auto cores = number(report, "cpu.cores");
  if (cores) return cores;
  const auto& cpus = report.environment.cpus;
  return cpus ? std::optional<double>(*cpus) : std::nullopt;
}

/// Empty where the backend does not tell the CPU's time.
inline std::optional<OwnTime> own_time(const Report& report, const ResultRecord& record) {
  OwnTime own;
  for (const LoopResult& loop : record.loops) {
    if (!loop.cpu) return std::nullopt;
    own.cpu_ns += static_cast<double>(loop.cpu->user_ns + loop.cpu->system_ns);
  }
  const double workers = workers_of(record);
  const double window = window_s(record) * 1e9;
  own.threads_ns = window * std::min(workers, cores_of(report).value_or(workers));
  own.wait_ns = counter_total(record, "own.steal_ns");
  if (own.threads_ns <= 0) return std::nullopt;
  return own;
}

}  // namespace sthd::analyze
