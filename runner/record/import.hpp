#pragma once

#include <cstddef>
#include <string_view>

#include "sthd/outcome.hpp"
#include "sthd/report.hpp"

namespace sthd::record {

/// Whose report it is: our own result.v1, or what `fio --output-format=json` (or json+) printed.
enum class Source { record, fio };

struct Imported {
  Report report;
  Source source = Source::record;
  /// The record ends early, as after a power cut: only its first jobs are there, and there are no
  /// findings and no judgements.
  bool cut = false;
  /// How many jobs were planned. Of a cut record, `report` may lack the plan of those that are not
  /// there.
  std::size_t planned = 0;
};

/// Reads either, told apart by what is in it. Of a record that was cut at any byte, all that was
/// whole is read; it must come as far as its jobs. Error{refused}: one sentence without the file's
/// name.
Outcome<Imported> import_report(std::string_view text);

/// fio's JSON, of fio-3.0 and later, as a Report: one record for each job, the threads of a job
/// added up. Of several documents (--status-interval) the last complete one counts; fio's own
/// messages around it are left out. What fio does not tell is unknown, never guessed: there are no
/// facts of machine and filesystem, a latency without bins has no percentiles (those that fio
/// printed are counters, "fio.read.clat_p99_ns"), and O_DIRECT that was asked for may or may not
/// have been honoured.
Outcome<Report> from_fio_json(std::string_view text);

}  // namespace sthd::record
