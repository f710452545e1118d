#pragma once

#include <string>

#include "sthd/report.hpp"

namespace sthd::app {

/// What `doctor` says below the table: the facts that sync writes depend on, measured effects,
/// where the time goes, the other findings, and how to keep what helped. Display()ed; the report
/// must be judged.
std::string doctor_text(const Report& report);

/// What `try` says of its condition below the table: the gain with its interval, and how to keep it
/// where there is one. Display()ed.
std::string try_text(const Report& report, Condition condition);

/// Why the row of `condition` has no figure; empty where it has one.
std::string missing(const Report& report, Condition condition);

/// `reason` without the name of the condition before it, for where that was said already.
std::string reason_alone(std::string reason, Condition condition);

}  // namespace sthd::app
