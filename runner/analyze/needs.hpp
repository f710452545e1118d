#pragma once

#include <string_view>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::analyze {

/// What a report may hold or not, in the order in which it is missed.
enum class Need {
  latencies,
  direct,
  disk_bytes,
  submission,
  memory,
  course,
  latency_bins,
  governor,
  idle_states,
  cpu_time,
  ready_time,
  cgroup,
  disk_time,
  stops,
  mount,
  flushes,
  intent_log,
  pool,
  storage_bytes,
  space,
  quotas,
  write_cache,
  clock,
  compression
};

/// "the size of RAM".
std::string_view words(Need need);

/// Whether the report holds it, in one of its rows at least.
bool known(Need need, const Report& report);

/// A finding's code and all that its rule cannot do without.
struct Check {
  std::string_view code;
  std::vector<Need> needs;
  bool of_experiment = false;  ///< only experiments say it (`doctor`): no run is checked for it
};

}  // namespace sthd::analyze
