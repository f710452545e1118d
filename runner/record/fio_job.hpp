#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/record/fio_options.hpp"
#include "sthd/result.hpp"

// Private to runner/record: the jobs of fio's report. Readers throw ReadError.
namespace sthd::record {

/// Those entries of "jobs" that are the threads of one job.
struct FioJob {
  std::string name;
  std::uint64_t group = 0;  ///< jobs of one group ran at the same time
  std::vector<Reader> entries;
  FioOptions options;
  FioWorkload asked;

  /// With group_reporting one entry stands for all threads of a job, and for whatever other jobs
  /// are in its group.
  [[nodiscard]] bool summed_by_fio() const { return entries.size() < asked.workload.threads; }
};

/// All of a report, in its order.
std::vector<FioJob> read_fio_jobs(const Reader& document);

/// What was measured of it: workload, resolution, status, and a loop where there are figures. Id
/// and label are fio's name and that with the workload: "db randread 4K Q32T1".
ResultRecord read_fio_record(const FioJob& job, const std::string& version);

}  // namespace sthd::record
