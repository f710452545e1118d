#include "runner/app/explain.hpp"

#include <fmt/format.h>

#include "kit/table/evidence.hpp"
#include "kit/table/summary.hpp"
#include "runner/app/commands.hpp"
#include "runner/app/with_session.hpp"
#include "runner/profile/diagnostics.hpp"
#include "sthd/text.hpp"

namespace sthd::app {

namespace {

constexpr std::string_view kHeading = "\n### ";

/// "4K sync T1 write" of a finding about a row; "the whole run" of others.
std::string place(const Report& report, const Finding& finding) {
  if (finding.job.empty()) return "the whole run";
  for (const ResultRecord& record : report.records) {
    if (record.job.id != finding.job) continue;
    const Op op = finding.op.value_or(record.job.workload.op);
    return fmt::format("{} {}", record.job.label, to_text(op));
  }
  return finding.job;
}

}  // namespace

std::vector<std::string> explained_codes() {
  std::vector<std::string> codes;
  const std::string_view text = findings_text();
  for (auto at = text.find(kHeading); at != text.npos; at = text.find(kHeading, at + 1)) {
    const auto begin = at + kHeading.size();
    codes.emplace_back(text.substr(begin, text.find('\n', begin) - begin));
  }
  return codes;
}

std::string explanation(std::string_view code) {
  const std::string_view text = findings_text();
  const auto begin = text.find(fmt::format("{}{}\n", kHeading, code));
  if (begin == text.npos) return {};
  const auto end = text.find(kHeading, begin + 1);
  std::string page(text.substr(begin + kHeading.size(), end - begin - kHeading.size()));
  while (!page.empty() && page.back() == '\n') page.pop_back();
  return page + "\n";
}

std::string explain_report(const Report& report) {
  std::string out = "\n";
  for (const Finding* finding : table::sorted_findings(report)) {
    out += display(fmt::format("{} ({}), {}: {}", finding->code, to_text(finding->severity),
                               place(report, *finding), finding->text)) +
           "\n";
    const std::string evidence = display(table::evidence_text(*finding));
    if (!evidence.empty()) out += "  evidence: " + evidence + "\n";
    if (!finding->remedy.empty()) out += "  remedy: " + display(finding->remedy) + "\n";
  }
  const std::vector<std::string> layers = table::layer_lines(report);
  if (!layers.empty()) out += "Mean latency by layer:\n";
  for (const std::string& line : layers) out += "  " + line + "\n";
  if (report.findings.empty()) out += table::checked_line(report) + "\n";
  return out;
}

int explain_command(const CommandInput& input) {
  const std::string& code = input.options.profile;
  const std::vector<std::string> codes = explained_codes();
  if (code.empty()) {
    return finish(input.terminal,
                  fmt::format("{}\n`speedtest-hd --explain CODE` says what one means.\n",
                              fmt::join(codes, "\n")));
  }
  const std::string page = explanation(code);
  if (!page.empty()) return finish(input.terminal, page);
  const std::string near = profile::did_you_mean(code, codes);
  input.terminal.error(
      fmt::format("no finding is called \"{}\"{}", display(code),
                  near.empty() ? "; `speedtest-hd --explain` lists them all" : "; " + near));
  return kUsage;
}

}  // namespace sthd::app
