#pragma once

#include <string>
#include <string_view>

#include "kit/text/sha256.hpp"
#include "sthd/comparison.hpp"
#include "sthd/outcome.hpp"
#include "sthd/report.hpp"

namespace sthd::record {

/// The report as result.v1 JSON (schemas/result.v1.schema.json), two spaces indented
/// (what is flat deep inside stays on one line), ending with a newline. Deterministic. Invalid
/// UTF-8 is replaced.
std::string to_json(const Report& report);

/// Reads it back; `derived` is ignored. Unknown keys are ignored, a missing or ill-typed one is an
/// Error naming its path. from_json(to_json(r)) gives the same report.
Outcome<Report> from_json(std::string_view text);

/// A record that grows with the run: its beginning, without jobs, and each finished job, on a line
/// of its own. Put one after the other they can be read by import_report() at any time, wherever
/// the text is cut.
std::string journal_begin(const Report& report);
std::string journal_job(const ResultRecord& record, bool first);

/// What `compare` found, as comparison.v1 JSON (schemas/comparison.v1.schema.json) in the same
/// style. What is unknown is null.
std::string to_json(const Comparison& comparison);

/// Facts alone: {"name": number, text or null, …, "unknown": {"name": "why it is null", …}}.
std::string to_json(const Facts& facts);

using text::sha256;

/// The jobs as canonical JSON (sorted keys, no spaces), for ProfileInfo::expanded_sha256.
std::string canonical_jobs(const std::vector<Job>& jobs);

}  // namespace sthd::record
