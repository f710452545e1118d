#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/compare/match.hpp"
#include "sthd/outcome.hpp"

namespace sthd::compare {

/// How a person names one figure of one row: "sync4k/threads=1 write lat.p99".
struct FigureName {
  std::string row;       ///< a job's id, or a label that only one row has
  std::optional<Op> op;  ///< only a mixed row, or a label of two rows, needs it
  std::string metric;
};
/// Error{refused}: one sentence, without what is around the text.
Outcome<FigureName> parse_figure(std::string_view text);

/// A figure on all sides.
struct Figure {
  std::string job;
  std::string label;
  Op op = Op::read;
  Column column;                           ///< its title, unit and precision
  std::vector<const ResultRecord*> sides;  ///< one a side; nullptr = not compared

  /// In the column's unit.
  [[nodiscard]] std::optional<double> value(std::size_t side) const;
  /// As a table's cell says it: "185.3"; empty for unknown.
  [[nodiscard]] std::string text(std::size_t side) const;
  /// Side ÷ first, with its interval. Seconds and bytes of different amounts of work have none.
  [[nodiscard]] Ratio ratio(std::size_t side) const;
};

/// Every column of the first side that a row has.
std::vector<Figure> figures_of(const Input& input, const Match& row);

/// The figure that `name` means. Error{refused}: no side has such a row, several rows have that
/// label, or it has no such direction.
Outcome<Figure> find_figure(const Input& input, const Matches& matches, const FigureName& name);

/// Without what surrounds it.
std::string_view trimmed(std::string_view text);

}  // namespace sthd::compare
