#pragma once

#include <string>

#include "sthd/finding.hpp"

namespace sthd::table {

// Untrusted texts, not yet display()ed.

/// The value alone: a number in whole from 1000 on, otherwise with four digits.
std::string evidence_value(const Evidence& item);

/// "mean_latency_ns 85504, depth 1.1"; empty where there is none.
std::string evidence_text(const Finding& finding);

}  // namespace sthd::table
