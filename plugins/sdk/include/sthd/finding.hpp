#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sthd/job.hpp"

namespace sthd {

enum class Severity { invalidates, suspect, note };
template <>
inline constexpr std::array<std::string_view, 3> kEnumTexts<Severity>{"invalidates", "suspect",
                                                                      "note"};

/// One number or word that proves a finding. Names carry the unit: "mean_latency_ns".
struct Evidence {
  std::string name;
  std::variant<double, std::string> value;
};

/// A statement about a number: what was seen, what it means, what to do.
struct Finding {
  std::string code;  ///< stable, kebab-case; also the README anchor
  Severity severity = Severity::note;
  std::string job;       ///< job id; empty = the whole run
  std::optional<Op> op;  ///< the direction it is about; empty = the whole row
  std::vector<Evidence> evidence;
  std::string mark;  ///< the short form below a table: "reached depth 1.1 of 32"
  std::string text;  ///< one sentence
  std::string remedy;
};

}  // namespace sthd
