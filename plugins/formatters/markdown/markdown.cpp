#include <fmt/format.h>

#include "kit/table/environment.hpp"
#include "kit/table/formatter.hpp"
#include "kit/table/markdown.hpp"
#include "kit/text/markdown.hpp"
#include "sthd/abi.hpp"
#include "sthd/text.hpp"

namespace sthd {
namespace {

/// GitHub-flavoured Markdown: title, table, what was measured on, then the notes as a list.
class Markdown final : public table::TableFormatter {
 protected:
  [[nodiscard]] FormatterInfo describe() const override {
    return {.extensions = {"md", "markdown"}, .compares = true};
  }

  void write_head(const table::Table& table, std::string& out) const override {
    if (!table.title.empty()) {
      out += fmt::format("**{}**\n\n", text::markdown_escaped(table.title));
    }
    std::vector<std::string> titles{table.label_title};
    titles.insert(titles.end(), table.titles.begin(), table.titles.end());
    out += table::markdown_head(titles, table::MarkdownAlign::numbers);
  }

  void write_row(const table::Table&, const table::Row& row, std::string& out) const override {
    out += table::markdown_row(row);
  }

  void write_tail(const table::Table& table, std::string& out) const override {
    if (!table.environment.empty()) {
      out += fmt::format("\n{}\n", text::markdown_escaped(table.environment));
    }
    list("",
         table::markdown_footnotes(table) + table::markdown_list(table.findings) +
             table::markdown_list(table.facts),
         out);
    list("Measured effects:", table::markdown_list(table.effects), out);
    list("Mean latency by layer:", table::markdown_list(table.layers), out);
  }

  void write_more(const FormatInput& input, std::string& out) const override {
    for (const Plot& plot : input.plots) {
      out += "\n" + table::markdown_image(display(plot.title), plot.path);
    }
    const auto known = table::environment_of(input.report);
    if (!input.details || known.empty()) return;
    std::string body = table::markdown_head({"Fact", "Value"}, table::MarkdownAlign::texts);
    for (const table::Known& fact : known) body += table::markdown_line({fact.name, fact.text});
    out += "\n" + table::markdown_folded("Environment", body);
  }

  void write_part(const table::ComparisonPart& part, std::string& out) const override {
    out += (out.empty() ? "" : "\n") + table::markdown_part(part);
  }

 private:
  static void list(std::string_view title, const std::string& items, std::string& out) {
    if (items.empty()) return;
    out += fmt::format("{}{}\n{}{}", title.empty() ? "" : "\n", title, title.empty() ? "" : "\n",
                       items);
  }
};

}  // namespace
}  // namespace sthd

STHD_FORMATTER_PLUGIN(sthd::Markdown, "markdown", "GitHub-flavoured Markdown table")
