#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/compare/figure.hpp"
#include "sthd/comparison.hpp"
#include "sthd/outcome.hpp"

namespace sthd::compare {

/// The columns of `--columns`: figures with commas in between, each followed by a blank, for a
/// job's id may have commas. Error{refused}: one sentence that quotes the text.
Outcome<std::vector<FigureName>> parse_columns(std::string_view text);

/// What `--note` says about a cell: it fills an empty one, and stands in brackets behind a figure.
struct Note {
  std::string text;  ///< as it was given: "DAPC: sync4k/threads=16 bw = regressing"
};

/// The before/after table: a line a side, `columns` of chosen rows; without any, the profile's
/// columns of the first and the last row that all sides have (of those that any two have, where
/// there is none). Its sentence says what the last side gained over the first one, and where
/// nothing is shown. Error{refused}: a column or a note that names nothing.
Outcome<StageTable> stages(const Input& input, const std::vector<FigureName>& columns,
                           const std::vector<Note>& notes);

/// "Net improvement: 3.5x IOPS and 3.8x lower p50 latency at 4K sync T1, 8.4x throughput at 4K sync
/// T16."; "Net change" where something became worse; empty where nothing is known of both ends.
std::string net_sentence(const std::vector<Figure>& figures);

}  // namespace sthd::compare
