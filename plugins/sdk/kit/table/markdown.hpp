#pragma once

#include <string>
#include <vector>

#include "kit/table/comparison_table.hpp"
#include "kit/table/table.hpp"

namespace sthd::table {

// Parts of a Markdown text. What they are given has passed through display(); they escape it.

enum class MarkdownAlign { texts, numbers };

/// Head of a table: the first column is left, the others as `align` says. Ended.
std::string markdown_head(const std::vector<std::string>& titles, MarkdownAlign align);
/// A line of a table, ended.
std::string markdown_line(const std::vector<std::string>& cells);
/// The same of a row, with its marks: "| 4K sync T1 | 10687 [1] |".
std::string markdown_row(const Row& row);
/// Head and rows of a Table.
std::string markdown_table(const Table& table);

/// Title, table and notes of a part of a comparison; one note is a sentence, several are a list.
std::string markdown_part(const ComparisonPart& part);

/// "- a\n- b\n"; nothing for none.
std::string markdown_list(const std::vector<std::string>& texts);
/// The footnotes as a list: "- [1] may be RAM".
std::string markdown_footnotes(const Table& table);

/// "![title](path)\n", a path that is good for a link whatever is in it.
std::string markdown_image(const std::string& title, const std::string& path);

/// What a reader can unfold; `body` is Markdown.
std::string markdown_folded(const std::string& summary, const std::string& body);

}  // namespace sthd::table
