#pragma once

#include <string>
#include <vector>

#include "sthd/facts.hpp"

namespace sthd::app {

/// What a terminal shows of the last second: MB/s, IOPS, latency at the device, flushes, depth,
/// utilisation, ZIL, CPU, pressure: parts of a line, what matters most first. Unknown things are
/// left out.
std::vector<std::string> watch_line(const Facts& facts, const Facts& second);

/// The summary: what was watched, a line for each leaf disk, what the sync load waits for, and what
/// is not known. `facts` are those of host and target, `window` the counters of the whole time.
std::string watch_text(const Facts& facts, const Facts& window);

/// Sentences about the sync load, each with its numbers; none where the counters do not tell.
std::vector<std::string> watch_sentences(const Facts& facts, const Facts& window);

}  // namespace sthd::app
