#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/report.hpp"

// Which checks can say anything of a report. A rule without its facts is silent, and silence must
// not be taken for a clean bill.
namespace sthd::app {

/// Something that a report may hold or not: "the mount options".
struct Need {
  std::string_view words;
  bool (*known)(const Report& report);
};

/// A finding's code and all that its rule cannot do without.
struct Check {
  std::string code;
  std::vector<const Need*> needs;
};

/// Every check of a single run: the codes that the README explains. One whose needs are not listed
/// in checks.cpp is taken to need nothing. What only experiments say ("measured-effect",
/// "host-floor") is not among them.
std::span<const Check> all_checks();

/// "checks    17 of 41 can be made", and what the others lack: in sentences of at most 100 columns,
/// or, with `each`, a line for each thing with the checks that need it.
std::vector<std::string> known_lines(const Report& report, bool each);

}  // namespace sthd::app
