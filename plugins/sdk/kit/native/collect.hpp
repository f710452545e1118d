#pragma once

#include <deque>
#include <string>
#include <vector>

#include "kit/native/crew.hpp"
#include "kit/native/execute.hpp"
#include "sthd/result.hpp"

// From what the workers of a loop hold to its LoopResult. All of them have ended their windows.
namespace sthd::native {

/// All but the time series. `elapsed_ns`: start barrier to the end of the loop.
void collect(const std::deque<Worker>& workers, const Crew& crew, QueueTraits traits,
             std::uint64_t elapsed_ns, LoopResult& loop);

/// An open loop that the target could not keep up with has measured something else: says so.
void note_missed_rate(const Workload& workload, const std::deque<Worker>& workers,
                      std::uint64_t measured_ns, std::vector<std::string>& notes);

/// The raw log, one line an I/O: job,op,offset,bytes,lat_ns.
void write_log(const Job& job, const std::deque<Worker>& workers, int fd);

}  // namespace sthd::native
