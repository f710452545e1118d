#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/job.hpp"

namespace sthd::process {

/// What a fio command line needs beside the job.
struct FioSettings {
  std::string filename;  ///< as it is: what fio needs escaped is escaped here
  std::string engine;    ///< ours; `dd` is written as psync
  bool direct = false;   ///< O_DIRECT is used
  /// Cached writes without sync are flushed each time `size` bytes were written, so that a small
  /// file rewritten in RAM does not report the RAM. False where O_DIRECT is real.
  bool flush = true;
  bool group = false;  ///< one summed entry instead of one an OS thread
};

/// OS threads (fio jobs) that serve the workload: psync has Q x T of them, other engines T.
[[nodiscard]] std::uint64_t fio_jobs(const Workload& workload, std::string_view engine);

/// `--filename=…`; fio takes a `:` for a separator where no `\` stands before it.
[[nodiscard]] std::string fio_filename(std::string_view path);

/// Those arguments that describe the load alone, from `--ioengine` to `--end_fsync`: no file, no
/// cache, no output. Limits are shared out evenly, rounded up.
[[nodiscard]] std::vector<std::string> fio_load(const Workload& workload,
                                                const FioSettings& settings);

/// fio's arguments (without "fio" and without output options) that do what the job does on a test
/// file that is there.
[[nodiscard]] std::vector<std::string> fio_arguments(const Job& job, const FioSettings& settings);

/// The job cut down to one I/O of one thread at the front of a file of `file_bytes`, for a probe.
/// Its block size is reduced to what the file holds; 0 when that is less than 4 KiB.
[[nodiscard]] Job one_io_of(const Job& job, std::string_view engine, std::uint64_t file_bytes);

/// `program` and its arguments as one line for people and any shell, quoted where it needs to be.
/// It is safe to show: what display() would change is written by `printf` when the line is run,
/// which loses newlines at the end of a word.
[[nodiscard]] std::string command_line(std::string_view program,
                                       const std::vector<std::string>& arguments);

}  // namespace sthd::process
