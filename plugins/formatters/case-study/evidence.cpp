#include "evidence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kit/table/evidence.hpp"
#include "kit/table/markdown.hpp"
#include "kit/table/summary.hpp"
#include "kit/text/markdown.hpp"
#include "sthd/text.hpp"

namespace sthd::case_study {
namespace {

using Groups = std::vector<table::FindingGroup>;

constexpr std::size_t kMostFigures = 4;  // of equal findings about several rows

Groups groups_of(const Report& report) {
  return table::grouped_findings(report, table::sorted_findings(report));
}

/// The same finding about the same row: its figures may be others.
bool has(const Report& report, const Finding& finding) {
  return std::any_of(report.findings.begin(), report.findings.end(), [&finding](const Finding& f) {
    return f.code == finding.code && f.job == finding.job && f.op == finding.op;
  });
}

bool has_any(const Report& report, const table::FindingGroup& group) {
  return std::any_of(group.findings.begin(), group.findings.end(),
                     [&report](const Finding* finding) { return has(report, *finding); });
}

std::string figures_of(const table::FindingGroup& group) {
  std::string out;
  for (std::size_t i = 0; i < std::min(group.findings.size(), kMostFigures); ++i) {
    const Finding& finding = *group.findings[i];
    const std::string text = table::evidence_text(finding);
    if (text.empty()) continue;
    const std::string of =
        group.findings.size() == 1 || finding.job.empty() ? "" : finding.job + ": ";
    out += fmt::format("   - Figures: {}\n", shown(of + text));
  }
  return out;
}

/// "1. **4K sync T1 write** (suspect, `depth-collapsed`): The queue held … " and what belongs to
/// it.
std::string item(std::size_t number, const table::FindingGroup& group) {
  const Finding& first = *group.findings.front();
  const std::string where =
      group.where.empty() ? "The whole run" : fmt::format("{}", fmt::join(group.where, ", "));
  std::string out = fmt::format("{}. **{}** ({}, {}): {}\n", number, shown(where),
                                to_text(first.severity), shown(first.code), shown(first.text));
  out += figures_of(group);
  if (!first.remedy.empty()) out += fmt::format("   - Remedy: {}\n", shown(first.remedy));
  return out;
}

}  // namespace

std::string shown(std::string_view untrusted) { return text::markdown_escaped(display(untrusted)); }

std::string evidence(std::span<const Report> reports) {
  const Report& first = reports.front();
  const Report* last = reports.size() > 1 ? &reports.back() : nullptr;
  std::string out;
  std::size_t number = 0;
  for (const table::FindingGroup& group : groups_of(first)) {
    out += item(++number, group);
    if (last != nullptr && !has_any(*last, group)) {
      out += "   - No longer found in the last record.\n";
    }
  }
  if (last != nullptr) {
    for (const table::FindingGroup& group : groups_of(*last)) {
      if (has_any(first, group)) continue;
      out += item(++number, group) + "   - Found in the last record, not in the first.\n";
    }
  }
  if (out.empty()) {
    const std::string checked = table::checked_line(first);
    out = checked.empty() ? "There are no findings.\n" : shown(checked) + ".\n";
  }
  const std::string layers = table::markdown_list(table::layer_lines(first));
  return layers.empty() ? out : out + "\nWhere the time goes (means):\n\n" + layers;
}

std::vector<std::string> conditions(std::span<const Report> reports) {
  std::vector<std::string> words;
  for (const Report& report : reports) {
    for (const ResultRecord& record : report.records) {
      const Condition condition = record.job.workload.condition;
      const std::string word(to_text(condition));
      const bool done = condition != Condition::as_is && !record.loops.empty();
      if (done && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
  }
  return words;
}

std::string advice(const Report& report) {
  std::vector<std::string> remedies;
  for (const Finding* finding : table::sorted_findings(report)) {
    const std::string& remedy = finding->remedy;
    if (remedy.empty()) continue;
    if (std::find(remedies.begin(), remedies.end(), remedy) == remedies.end()) {
      remedies.push_back(remedy);
    }
  }
  std::string out;
  for (const std::string& remedy : remedies) out += fmt::format("- [ ] {}\n", shown(remedy));
  return out;
}

}  // namespace sthd::case_study
