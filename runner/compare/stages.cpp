#include "runner/compare/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sthd/text.hpp"

namespace sthd::compare {
namespace {

Error fault(std::string_view option, std::string_view text, std::string_view why) {
  return {ErrorCode::refused, fmt::format("{} \"{}\": {}", option, display(text), display(why)), 0};
}

bool is_complete(const Match& row) {
  return std::find(row.sides.begin(), row.sides.end(), nullptr) == row.sides.end();
}

/// The profile's columns of the first and the last common row.
std::vector<Figure> default_figures(const Input& input, const Matches& matches) {
  std::vector<const Match*> rows;
  for (const Match& row : matches.rows) {
    if (is_complete(row)) rows.push_back(&row);
  }
  if (rows.empty()) {
    for (const Match& row : matches.rows) rows.push_back(&row);
  }
  std::vector<Figure> figures;
  if (rows.empty()) return figures;
  figures = figures_of(input, *rows.front());
  if (rows.size() == 1) return figures;
  for (Figure& figure : figures_of(input, *rows.back())) figures.push_back(std::move(figure));
  return figures;
}

Outcome<std::vector<Figure>> chosen_figures(const Input& input, const Matches& matches,
                                            const std::vector<FigureName>& names) {
  if (names.empty()) return default_figures(input, matches);
  std::vector<Figure> figures;
  for (const FigureName& name : names) {
    auto figure = find_figure(input, matches, name);
    if (!figure) return fault("--columns", name.row, figure.error().message);
    figures.push_back(std::move(*figure));
  }
  return figures;
}

/// "DAPC" of "DAPC: sync4k/threads=16 iops = —": the longest label that it begins with.
std::optional<std::size_t> side_of(std::string_view note, std::span<const std::string> labels) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool begins =
        note.starts_with(labels[i]) && note.substr(labels[i].size()).starts_with(':');
    if (begins && (!found || labels[i].size() > labels[*found].size())) found = i;
  }
  return found;
}

std::optional<std::size_t> column_of(const std::vector<Figure>& figures, const Figure& wanted) {
  const auto found = std::find_if(figures.begin(), figures.end(), [&wanted](const Figure& each) {
    return each.job == wanted.job && each.op == wanted.op &&
           each.column.metric == wanted.column.metric;
  });
  if (found == figures.end()) return std::nullopt;
  return static_cast<std::size_t>(found - figures.begin());
}

/// What every function here needs.
struct Stages {
  const Input& input;
  const Matches& matches;
  const std::vector<Figure>& figures;
  StageTable& table;
};

Outcome<Done> write_note(const Stages& stages, const Note& note) {
  const std::string_view text = note.text;
  const auto wrong = [text](std::string_view why) { return fault("--note", text, why); };
  const auto side = side_of(text, stages.input.labels);
  if (!side) {
    return wrong(fmt::format("it does not begin with a label and a colon; there are {}",
                             fmt::join(stages.input.labels, ", ")));
  }
  const std::string_view rest = text.substr(stages.input.labels[*side].size() + 1);
  constexpr std::string_view kEquals = " = ";
  const std::size_t equals = rest.find(kEquals);
  if (equals == std::string_view::npos) {
    return wrong("it has no \" = \", as 'before: sync4k/threads=16 iops = regressing' has");
  }
  const std::string said(trimmed(rest.substr(equals + kEquals.size())));
  if (said.empty()) return wrong("it says nothing behind the \" = \"");
  const auto name = parse_figure(rest.substr(0, equals));
  if (!name) return wrong(name.error().message);
  const auto figure = find_figure(stages.input, stages.matches, *name);
  if (!figure) return wrong(figure.error().message);
  const auto column = column_of(stages.figures, *figure);
  if (!column) {
    return wrong(fmt::format("{} {} is not among the columns; --columns chooses them", name->row,
                             name->metric));
  }
  std::string& cell = stages.table.rows[*side].cells[*column];
  cell = cell.empty() ? said : fmt::format("{} ({})", cell, said);
  return Done{};
}

std::string title_of(const Figure& figure) {
  const Column& column = figure.column;
  return fmt::format("{} {}", figure.label, column.title.empty() ? column.id : column.title);
}

}  // namespace

Outcome<std::vector<FigureName>> parse_columns(std::string_view text) {
  std::vector<FigureName> names;
  std::string_view left = text;
  while (!trimmed(left).empty()) {
    const std::size_t end = std::min(left.find(", "), left.size());
    auto name = parse_figure(left.substr(0, end));
    if (!name) return fault("--columns", text, name.error().message);
    names.push_back(std::move(*name));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  if (names.empty()) return fault("--columns", text, "it names no figure");
  return names;
}

Outcome<StageTable> stages(const Input& input, const std::vector<FigureName>& columns,
                           const std::vector<Note>& notes) {
  const Matches matches = match_rows(input);
  const auto figures = chosen_figures(input, matches, columns);
  if (!figures) return figures.error();
  StageTable table;
  table.label_title = "Stage";
  for (const Figure& figure : *figures) table.titles.push_back(title_of(figure));
  for (std::size_t side = 0; side < input.reports.size(); ++side) {
    StageTable::Row row{input.labels[side], {}};
    for (const Figure& figure : *figures) row.cells.push_back(figure.text(side));
    table.rows.push_back(std::move(row));
  }
  for (const Note& note : notes) {
    if (const auto done = write_note({input, matches, *figures, table}, note); !done) {
      return done.error();
    }
  }
  table.sentence = net_sentence(*figures);
  return table;
}

}  // namespace sthd::compare
