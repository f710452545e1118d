#include "kit/table/markdown.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "kit/text/markdown.hpp"
#include "kit/text/xml.hpp"

namespace sthd::table {
namespace {

std::string marked(const Cell& cell) {
  std::string text = text::markdown_escaped(cell.text);
  if (cell.mark != 0) text += " " + mark_text(cell.mark);
  return text;
}

/// RFC 3986, percent-encoded: what is left are letters, digits, "/" and "-._~".
std::string link_of(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 ||
                                       std::string_view("/-._~").find(c) != std::string_view::npos);
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace

std::string markdown_head(const std::vector<std::string>& titles, MarkdownAlign align) {
  std::string out = markdown_line(titles) + "|";
  for (std::size_t i = 0; i < titles.size(); ++i) {
    out += i > 0 && align == MarkdownAlign::numbers ? "---:|" : "---|";
  }
  return out + '\n';
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += fmt::format(" {} |", text::markdown_escaped(cell));
  return out + '\n';
}

std::string markdown_row(const Row& row) {
  std::string out = "| " + text::markdown_escaped(row.label);
  for (const Cell& remark : row.remarks) out += " (" + marked(remark) + ")";
  for (const Cell& cell : row.cells) out += " | " + marked(cell);
  return out + " |\n";
}

std::string markdown_table(const Table& table) {
  std::vector<std::string> titles{table.label_title};
  titles.insert(titles.end(), table.titles.begin(), table.titles.end());
  std::string out = markdown_head(titles, MarkdownAlign::numbers);
  for (const Row& row : table.rows) out += markdown_row(row);
  return out;
}

std::string markdown_part(const ComparisonPart& part) {
  std::string out = part.title.empty() ? "" : fmt::format("**{}**\n\n", part.title);
  if (!part.titles.empty()) {
    out += markdown_head(part.titles, part.numbers ? MarkdownAlign::numbers : MarkdownAlign::texts);
  }
  for (const auto& row : part.rows) out += markdown_line(row);
  if (!part.titles.empty() && !part.notes.empty()) out += '\n';
  out += part.notes.size() == 1 ? text::markdown_escaped(part.notes.front()) + '\n'
                                : markdown_list(part.notes);
  return out;
}

std::string markdown_list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += "- " + text::markdown_escaped(text) + '\n';
  return out;
}

std::string markdown_footnotes(const Table& table) {
  std::string out;
  for (std::size_t i = 0; i < table.footnotes.size(); ++i) {
    out += fmt::format("- {} {}\n", mark_text(i + 1), text::markdown_escaped(table.footnotes[i]));
  }
  return out;
}

std::string markdown_image(const std::string& title, const std::string& path) {
  return fmt::format("![{}]({})\n", text::markdown_escaped(title), link_of(path));
}

std::string markdown_folded(const std::string& summary, const std::string& body) {
  return fmt::format("<details>\n<summary>{}</summary>\n\n{}\n</details>\n",
                     text::xml_escaped(summary), body);
}

}  // namespace sthd::table
