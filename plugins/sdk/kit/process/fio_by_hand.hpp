#pragma once

#include <string>

#include "sthd/job.hpp"
#include "sthd/resolution.hpp"

namespace sthd::process {

/// How to run a row with fio by hand.
struct ByHand {
  std::string command;  ///< a line for any shell; empty = fio cannot do the same
  std::string why_not;  ///< one clause; empty where there is a command, or nothing ran
};

/// What does one loop of the job with the engine and O_DIRECT that it got, on a file of its own in
/// `directory` (absolute): fio lays the file out, brings the cache into the state that was asked
/// for, measures, and removes the file. Repeats and pauses are left to whoever runs it.
[[nodiscard]] ByHand fio_by_hand(const Job& job, const Resolution& resolution,
                                 const std::string& directory);

}  // namespace sthd::process
