#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "runner/host/run_store.hpp"
#include "runner/record/import.hpp"
#include "sthd/outcome.hpp"

namespace sthd::app {

/// "@-1", id, start, profile, target, jobs that are ok, and the first figure.
using HistoryLine = std::array<std::string, 7>;

/// Of a kept run, the `index`-th (1 = the newest), and what is in it. Where that cannot be read,
/// the last part says why.
HistoryLine history_line(std::size_t index, const host::KeptRun& run,
                         const Outcome<record::Imported>& content);

/// The table, with its head.
std::string history_text(std::vector<HistoryLine> lines);

}  // namespace sthd::app
