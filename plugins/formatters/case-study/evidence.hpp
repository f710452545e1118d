#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/report.hpp"

// What the records say, as Markdown.
namespace sthd::case_study {

/// Untrusted text as it may stand in Markdown.
std::string shown(std::string_view untrusted);

/// The findings of the first record, numbered, each with its figures and its remedy, and whether
/// the last record still has it; then what the last record alone has, and where the time goes in
/// the first.
std::string evidence(std::span<const Report> reports);

/// What was done to the machine while rows were measured, each once: "cores-awake".
std::vector<std::string> conditions(std::span<const Report> reports);

/// The remedies of a report's findings, each once, as boxes to tick.
std::string advice(const Report& report);

}  // namespace sthd::case_study
