#pragma once

#include "sthd/report.hpp"

namespace sthd::host {

/// Kernel, distribution, CPU, memory; what cannot be had stays empty. Never touches the target.
Environment environment();

/// 36-character random UUID (version 4) and the time now as ISO 8601 UTC, seconds.
std::string new_run_id();
std::string utc_now();

}  // namespace sthd::host
