#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/job.hpp"

namespace sthd::process {

/// What a fio command line needs beside the job.
struct FioSettings {
  std::string filename;  ///< passed as it is but for `:` and `\`, which fio needs escaped
  std::string engine;    ///< ours; `dd` is written as psync
  bool direct = false;   ///< O_DIRECT is used
  /// Cached writes without sync are flushed each time `size` bytes were written, so that a small
  /// file rewritten in RAM does not report the RAM. False where O_DIRECT is real.
  bool flush = true;
  bool group = false;  ///< one summed entry instead of one an OS thread
};

/// OS threads (fio jobs) that serve the workload: psync has Q x T of them, other engines T.
[[nodiscard]] std::uint64_t fio_jobs(const Workload& workload, std::string_view engine);

/// fio's arguments (without "fio" and without output options) that do what the job does. Limits are
/// shared out evenly, rounded up.
[[nodiscard]] std::vector<std::string> fio_arguments(const Job& job, const FioSettings& settings);

/// The job cut down to one I/O of one thread at the front of a file of `file_bytes`, for a probe.
/// Its block size is reduced to what the file holds; 0 when that is less than 4 KiB.
[[nodiscard]] Job one_io_of(const Job& job, std::string_view engine, std::uint64_t file_bytes);

/// `program` and its arguments as one line for people, quoted for a shell where it needs to be, and
/// safe to show.
[[nodiscard]] std::string command_line(std::string_view program,
                                       const std::vector<std::string>& arguments);

}  // namespace sthd::process
