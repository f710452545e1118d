#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/compare/figure.hpp"
#include "sthd/comparison.hpp"
#include "sthd/outcome.hpp"

namespace sthd::compare {

/// A `--fail-if`: "sync4k/threads=1 lat.p99 > +10%".
struct Limit {
  std::string text;
  FigureName figure;
  bool above = true;   ///< fails beyond it upwards
  double percent = 0;  ///< change against the first side
};
/// "JOBID [read|write] METRIC (>|<) ±N%". Error{refused}: one sentence that quotes the text.
Outcome<Limit> parse_limit(std::string_view text);

/// Each limit on each side after the first. `exceeded` and `kept` need the whole interval of the
/// ratio on one side of the limit, otherwise it is `inconclusive`; `unknown` = a side has no such
/// figure, or the row is not compared. Error{refused}: a row that no record has.
Outcome<std::vector<LimitResult>> judge(const Input& input, const std::vector<Limit>& limits);

}  // namespace sthd::compare
