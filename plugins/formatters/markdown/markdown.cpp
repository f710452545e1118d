#include <fmt/format.h>

#include <cctype>

#include "kit/table/formatter.hpp"
#include "sthd/abi.hpp"

namespace sthd {
namespace {

/// GitHub-flavoured Markdown: title, table, then the notes as a list.
class Markdown final : public table::TableFormatter {
 protected:
  [[nodiscard]] FormatterInfo describe() const override { return {{"md", "markdown"}, false}; }

  void write_head(const table::Table& table, std::string& out) const override {
    if (!table.title.empty()) out += fmt::format("**{}**\n\n", escaped(table.title));
    out += fmt::format("| {} |", table.label_title);
    for (const std::string& title : table.titles) out += fmt::format(" {} |", escaped(title));
    out += "\n|---|";
    for (std::size_t i = 0; i < table.titles.size(); ++i) out += "---:|";
    out += '\n';
  }

  void write_row(const table::Table&, const table::Row& row, std::string& out) const override {
    out += "| " + escaped(row.label);
    for (const table::Cell& remark : row.remarks) out += " (" + marked(remark) + ")";
    for (const table::Cell& cell : row.cells) out += " | " + marked(cell);
    out += " |\n";
  }

  void write_tail(const table::Table& table, std::string& out) const override {
    const bool any = !(table.footnotes.empty() && table.findings.empty() && table.facts.empty());
    if (any) out += '\n';
    for (std::size_t i = 0; i < table.footnotes.size(); ++i) {
      out += fmt::format("- {} {}\n", table::mark_text(i + 1), escaped(table.footnotes[i]));
    }
    for (const std::string& finding : table.findings) out += "- " + escaped(finding) + '\n';
    for (const std::string& fact : table.facts) out += "- " + escaped(fact) + '\n';
    if (!table.effects.empty()) out += "\nMeasured effects:\n\n";
    for (const std::string& effect : table.effects) out += "- " + escaped(effect) + '\n';
    if (!table.layers.empty()) out += "\nMean latency by layer:\n\n";
    for (const std::string& layers : table.layers) out += "- " + escaped(layers) + '\n';
  }

 private:
  static std::string marked(const table::Cell& cell) {
    std::string text = escaped(cell.text);
    if (cell.mark != 0) text += " " + table::mark_text(cell.mark);
    return text;
  }
  /// Nothing in `text` ends the cell, opens a tag, a link or a code span. Inside a word Markdown
  /// takes an underscore as it is: O_DIRECT.
  static std::string escaped(std::string_view text) {
    const auto in_word = [text](std::size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '<' || c == '>' || c == '&') {
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
        continue;
      }
      const bool plain_underscore = c == '_' && i > 0 && in_word(i - 1) && in_word(i + 1);
      if (!plain_underscore && std::string_view(R"(\`*_[]|#)").find(c) != std::string_view::npos) {
        out += '\\';
      }
      out += c;
    }
    return out;
  }
};

}  // namespace
}  // namespace sthd

STHD_FORMATTER_PLUGIN(sthd::Markdown, "markdown", "GitHub-flavoured Markdown table")
