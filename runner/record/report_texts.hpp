#pragma once

#include <functional>
#include <string>

#include "sthd/report.hpp"

// Private to runner/record.
namespace sthd::record {

enum class TextKind {
  word,  ///< one of ours or of the kernel's: a metric, an engine, the name of a fact
  free   ///< written by people, or told by the host
};

/// Calls `visit` with every text of the report, in an order that depends on its shape alone.
void each_text(Report& report, const std::function<void(std::string&, TextKind)>& visit);

}  // namespace sthd::record
