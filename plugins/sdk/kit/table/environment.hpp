#pragma once

#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::table {

/// Something known of host or target. Both texts have passed through display().
struct Known {
  std::string name;
  std::string text;
};

/// What was measured on, in one line: "Xeon E5-2680 v3, 24 CPUs; Linux 6.12; ZFS 2.3.4 on 6 x
/// XG7000, log on P1600X". What is unknown is left out.
std::string environment_line(const Report& report);

/// The same for the set-up of a write-up: server, CPU, OS, pool, log device, target, and what was
/// run. What is unknown is left out.
std::vector<Known> setup_of(const Report& report);

/// All that is known, fact by fact, and why some are not: "unknown: no cpufreq driver is loaded".
std::vector<Known> environment_of(const Report& report);

}  // namespace sthd::table
