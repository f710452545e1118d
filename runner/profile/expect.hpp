#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/profile/diagnostics.hpp"
#include "runner/profile/matrix.hpp"
#include "runner/profile/tree.hpp"
#include "sthd/expectation.hpp"

// The [[expect]] of a profile: its figures, its ranges, and the jobs it is about.
namespace sthd::profile {

/// What is wrong with the figures of one file's [[expect]]: a metric that is none, a figure that is
/// not in its metric's unit; and a name in `only_if` that no fact has. Places that are `faulty`
/// already are left alone.
void figure_faults(const Value& expect, const std::function<bool(const Place&)>& faulty,
                   Diagnostics& faults);

/// The [[expect]] of a merged and complete profile, in its order. Precondition: none of its files
/// has figure_faults(). `jobs` stays empty.
std::vector<Expectation> expectations_of(const Value& profile, Diagnostics& faults);

/// The cases that an [[expect]] is about.
struct Matched {
  std::vector<std::string> jobs;  ///< ids, in the order of the cases
  std::optional<Diagnostic> why_none;
  bool no_such_job = false;  ///< it names a template that no case has
};
Matched match_cases(const Value& expect, const std::vector<const Case*>& cases);

}  // namespace sthd::profile
