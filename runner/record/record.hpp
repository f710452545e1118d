#pragma once

#include <string>
#include <string_view>

#include "sthd/outcome.hpp"
#include "sthd/report.hpp"

namespace sthd::record {

/// The report as result.v1 JSON (schemas/result.v1.schema.json), two spaces indented (bins arrays
/// stay on one line), ending with a newline. Deterministic. Invalid UTF-8 is replaced.
std::string to_json(const Report& report);

/// Reads it back; `derived` is ignored. Unknown keys are ignored, a missing or ill-typed one is an
/// Error naming its path. from_json(to_json(r)) gives the same report.
Outcome<Report> from_json(std::string_view text);

/// Facts alone: {"name": number, text or null, …, "unknown": {"name": "why it is null", …}}.
std::string to_json(const Facts& facts);

/// SHA-256 as lower-case hex.
std::string sha256(std::string_view bytes);

/// The jobs as canonical JSON (sorted keys, no spaces), for ProfileInfo::expanded_sha256.
std::string canonical_jobs(const std::vector<Job>& jobs);

}  // namespace sthd::record
