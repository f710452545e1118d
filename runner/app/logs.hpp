#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::app {

/// What a log's second column is: KiB/s, I/Os per second, mean latency in ns.
enum class LogKind { bw, iops, lat };

/// "PREFIX_bw.1.log", of the job with that 1-based number in the plan.
std::string log_file(std::string_view prefix, LogKind kind, std::size_t number);

struct Log {
  std::string file;
  std::string text;
};

/// The time series of every planned job as fio 3.33 logs it with log_avg_msec: "time in ms, value,
/// direction (0 read, 1 write), 0, 0" a line, the last two being the block size and the priority
/// that fio does not tell of a window either. Time goes on from loop to loop. A latency is the mean
/// of its slice, from bins an eighth of an octave wide; a slice without latencies has no line in
/// that log, one without I/O has 0 in the others. A job without samples has empty logs, so that
/// none of an earlier run is taken for its.
std::vector<Log> logs_of(const Report& report, std::string_view prefix);

}  // namespace sthd::app
