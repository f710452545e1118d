#pragma once

#include <string>

#include "sthd/report.hpp"

// Remedies that know the platform they are given on (host.platform, host.vendor).
namespace sthd::analyze {

/// How to set the governor to performance, now and after each start.
std::string governor_remedy(const Report& report);
/// How to keep the cores out of deep idle states: kernel arguments and the firmware's profile.
std::string idle_remedy(const Report& report);
/// The firmware's power profile by its maker's name for it; "" where the maker is not known.
std::string firmware_profile(const Report& report);
/// "Watch it with `zpool iostat -vl tank 1`.", with the pool's name where it is known.
std::string pool_watch(const Report& report);

}  // namespace sthd::analyze
