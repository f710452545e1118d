#include <fmt/format.h>

#include <algorithm>

#include "runner/analyze/analyze.hpp"
#include "runner/app/checks.hpp"
#include "runner/app/expectation_code.hpp"
#include "runner/app/record_file.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

/// "2 rows of fio-3.33, measured by fio": whose figures these are.
std::string origin(const Report& report, record::Source source) {
  const std::size_t rows = report.records.size();
  const std::string count = fmt::format("{} row{}", rows, rows == 1 ? "" : "s");
  std::string text =
      fmt::format("{} of {} {}", count, display(report.tool.name), display(report.tool.version));
  if (source == record::Source::fio) {
    return text + "; of the machine, the filesystem and the cache its JSON tells nothing";
  }
  if (!report.started_utc.empty()) text += ", " + display(report.started_utc);
  if (!report.environment.hostname.empty()) text += " on " + display(report.environment.hostname);
  return text;
}

bool has_remedies(const Report& report) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [](const Finding& finding) { return !finding.remedy.empty(); });
}

}  // namespace

int analyze_command(const CommandInput& input) {
  auto imported = read_judged(input, input.options.files.front());
  if (!imported) {
    input.terminal.error(imported.error().message);
    return kUsage;
  }
  Report& report = imported->report;
  analyze::judge(report);
  input.terminal.note(fmt::format("{:<9} {}", "figures", origin(report, imported->source)));
  for (const auto& line : known_lines(report, input.options.explain)) input.terminal.note(line);
  const bool of_fio = imported->source == record::Source::fio;
  if (of_fio && has_remedies(report)) {
    input.terminal.note(
        "remedies  name options of this program; fio's are --direct=1, --ioengine, "
        "--runtime with --time_based, --size");
  }
  const int code = render_report(input, report);
  return code == kMeasured ? expectation_code(report, input.options.strict, input.terminal) : code;
}

}  // namespace sthd::app
