#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "evidence.hpp"
#include "kit/table/comparison_table.hpp"
#include "kit/table/environment.hpp"
#include "kit/table/markdown.hpp"
#include "kit/table/table.hpp"
#include "kit/text/markdown.hpp"
#include "sthd/abi.hpp"
#include "sthd/text.hpp"

namespace sthd {
namespace {

using case_study::shown;
using table::MarkdownAlign;

/// What nobody but the author knows.
std::string to_fill_in(std::string_view what) {
  return fmt::format("> **To fill in:** {}\n", what);
}

std::string paragraphs(const std::vector<std::string>& parts) {
  std::vector<std::string> known = parts;
  std::erase(known, "");
  return fmt::format("{}", fmt::join(known, "\n"));
}

std::string section(std::string_view title, const std::vector<std::string>& parts) {
  return fmt::format("\n## {}\n\n{}", title, paragraphs(parts));
}

std::string known_table(const std::vector<table::Known>& known,
                        const std::vector<std::string>& titles) {
  if (known.empty()) return {};
  std::string out = table::markdown_head(titles, MarkdownAlign::texts);
  for (const table::Known& item : known) out += table::markdown_line({item.name, item.text});
  return out;
}

/// The table of a record and what its marks say.
std::string measured(const Report& report) {
  const table::Table table = table::build(report);
  if (table.rows.empty()) return "No row was planned.\n";
  return paragraphs({table::markdown_table(table), table::markdown_footnotes(table)});
}

/// The draft of a write-up: what the records know, in the order in which a reader wants it, and
/// marked gaps for the rest.
class CaseStudy final : public FormatterPlugin {
 protected:
  // No extension: a .md file is the markdown format's.
  [[nodiscard]] FormatterInfo describe() const override { return {{}, false, true, true}; }

  [[nodiscard]] std::string format(const FormatInput& input) const override {
    std::string out = title(input.report);
    const std::string setup = known_table(table::setup_of(input.report), {"Part", "Detail"});
    out += section("The set-up", {setup.empty() ? to_fill_in("server, CPU, OS, disks.") : setup});
    out += section("The symptom", {to_fill_in("what was expected, and who noticed what."),
                                   measured(input.report)});
    out += section("The evidence", {case_study::evidence(all(input))});
    out += section("The fixes tried", fixes(input));
    out += section("The results", results(input));
    out += pictures(input);
    out += section("What was learned", {to_fill_in("what you would tell the next one who sees the "
                                                   "symptom; what was not the cause.")});
    return out + details(input);
  }

 private:
  static std::span<const Report> all(const FormatInput& input) {
    return input.reports.empty() ? std::span<const Report>(&input.report, 1) : input.reports;
  }

  static std::string title(const Report& report) {
    const std::string& profile =
        report.profile.title.empty() ? report.profile.name : report.profile.title;
    const std::string name = profile.empty() ? "Case study" : "Case study: " + shown(profile);
    return fmt::format("# {}\n\n{}", name, to_fill_in("what was wrong, and why, in one sentence."));
  }

  static std::string label(const FormatInput& input, std::size_t record) {
    const bool known = input.comparison != nullptr && record < input.comparison->sides.size();
    const std::string name = known ? input.comparison->sides[record].label : "";
    return name.empty() ? fmt::format("record {}", record + 1) : display(name);
  }

  /// What the records say of them, or what the findings of the only one advise.
  static std::vector<std::string> fixes(const FormatInput& input) {
    const std::vector<std::string> conditions = case_study::conditions(all(input));
    const std::string undone =
        conditions.empty()
            ? ""
            : fmt::format("Done while rows were measured, and undone after them: {}.\n",
                          fmt::join(conditions, ", "));
    if (input.comparison == nullptr) {
      const std::string advice = case_study::advice(input.report);
      return {to_fill_in("what was changed, one thing at a time, and why."),
              advice.empty() ? "" : "What the findings advise:\n", advice, undone};
    }
    return {to_fill_in("what was changed between the records, and why."),
            compared(*input.comparison).front(), undone};
  }

  /// Ready texts: what differs, and after it what came of it.
  static std::vector<std::string> compared(const Comparison& comparison) {
    std::vector<std::string> texts;
    for (const table::ComparisonPart& part : table::comparison_parts(comparison)) {
      texts.push_back(table::markdown_part(part));
    }
    return texts;
  }

  static std::vector<std::string> results(const FormatInput& input) {
    const std::span<const Report> reports = all(input);
    if (reports.size() < 2) {
      return {
          to_fill_in("the same measurement after each change: `speedtest-hd render before.json "
                     "after.json -f case-study` makes the table.")};
    }
    std::vector<std::string> parts;
    if (input.comparison != nullptr) {
      parts = compared(*input.comparison);
      parts.erase(parts.begin());
    }
    for (std::size_t i = parts.empty() ? 1 : reports.size() - 1; i < reports.size(); ++i) {
      parts.push_back(fmt::format("### {}\n", text::markdown_escaped(label(input, i))));
      parts.push_back(measured(reports[i]));
    }
    return parts;
  }

  static std::string pictures(const FormatInput& input) {
    if (input.plots.empty()) return {};
    std::vector<std::string> images;
    for (const Plot& plot : input.plots) {
      images.push_back(table::markdown_image(display(plot.title), plot.path));
    }
    return section("The pictures", images);
  }

  static std::string details(const FormatInput& input) {
    std::string out;
    const std::span<const Report> reports = all(input);
    for (std::size_t i = 0; input.details && i < reports.size(); ++i) {
      const std::string known = known_table(table::environment_of(reports[i]), {"Fact", "Value"});
      if (known.empty()) continue;
      const std::string of = reports.size() < 2 ? "" : " of " + label(input, i);
      out += '\n' + table::markdown_folded("Environment" + of, known);
    }
    return out;
  }
};

}  // namespace
}  // namespace sthd

STHD_FORMATTER_PLUGIN(sthd::CaseStudy, "case-study", "Draft of a write-up in Markdown")
