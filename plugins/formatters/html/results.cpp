#include <fmt/format.h>

#include "kit/table/evidence.hpp"
#include "kit/table/summary.hpp"
#include "kit/table/table.hpp"
#include "markup.hpp"
#include "sections.hpp"

namespace sthd::html {
namespace {

std::string mark_link(std::size_t mark) {
  if (mark == 0) return {};
  return fmt::format(" <sup><a href=\"#note-{}\">{}</a></sup>", mark, table::mark_text(mark));
}

std::string row_of(const table::Row& row) {
  std::string out = fmt::format("<tr><th scope=\"row\">{}", xml_escaped(row.label));
  for (const table::Cell& remark : row.remarks) {
    out += fmt::format(" ({}{})", xml_escaped(remark.text), mark_link(remark.mark));
  }
  out += "</th>";
  for (const table::Cell& cell : row.cells) {
    out += fmt::format("<td>{}{}</td>", xml_escaped(cell.text), mark_link(cell.mark));
  }
  return out + "</tr>\n";
}

std::string table_of(const table::Table& table) {
  std::string out = fmt::format(
      "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"The table\">\n"
      "<table class=\"numbers results\">\n<caption>What was measured</caption>\n<thead><tr>"
      "<th scope=\"col\">{}</th>",
      xml_escaped(table.label_title));
  for (const std::string& title : table.titles) {
    out += fmt::format("<th scope=\"col\">{}</th>", xml_escaped(title));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const table::Row& row : table.rows) out += row_of(row);
  return out + "</tbody>\n</table>\n</div>\n";
}

std::string footnotes_of(const table::Table& table) {
  if (table.footnotes.empty()) return {};
  std::string out = "<ul class=\"notes\">\n";
  for (std::size_t i = 0; i < table.footnotes.size(); ++i) {
    out += fmt::format("<li id=\"note-{}\">{} {}</li>\n", i + 1, table::mark_text(i + 1),
                       xml_escaped(table.footnotes[i]));
  }
  return out + "</ul>\n";
}

std::string evidence_of(const table::FindingGroup& group) {
  TableText table("Evidence", {"Job", "What", "Value"}, Align::texts);
  bool any = false;
  for (const Finding* finding : group.findings) {
    for (const Evidence& item : finding->evidence) {
      table.row(finding->job.empty() ? "the whole run" : finding->job,
                {item.name, table::evidence_value(item)});
      any = true;
    }
  }
  return any ? folded("Evidence", table.text()) : "";
}

std::string where_of(const table::FindingGroup& group) {
  if (group.where.empty()) return "the whole run";
  return fmt::format("{}", fmt::join(group.where, ", "));
}

std::string finding_of(const table::FindingGroup& group) {
  const Finding& first = *group.findings.front();
  std::string out = fmt::format(
      "<article class=\"finding {0}\">\n<h3><span class=\"badge\">{0}</span> {1}</h3>\n"
      "<p class=\"where\">{2}</p>\n<p>{3}</p>\n",
      to_text(first.severity), xml_escaped(first.code), xml_escaped(where_of(group)),
      xml_escaped(first.text));
  if (!first.remedy.empty()) {
    out += fmt::format("<p class=\"remedy\"><strong>What to do:</strong> {}</p>\n",
                       xml_escaped(first.remedy));
  }
  return out + evidence_of(group) + "</article>\n";
}

}  // namespace

std::string results_section(const Report& report) {
  const table::Table table = table::build(report);
  std::string body = table.rows.empty() ? "<p>No row was planned.</p>\n" : table_of(table);
  body += footnotes_of(table) + list(table.facts);
  if (!table.effects.empty()) body += "<h3>Measured effects</h3>\n" + list(table.effects);
  return section("Results", body);
}

std::string findings_section(const Report& report) {
  std::string body;
  for (const auto& group : table::grouped_findings(report, table::sorted_findings(report))) {
    body += finding_of(group);
  }
  return section("Findings", body);
}

}  // namespace sthd::html
