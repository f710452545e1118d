#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "runner/app/together.hpp"
#include "runner/compare/compare.hpp"
#include "runner/compare/limit.hpp"
#include "runner/compare/stages.hpp"
#include "runner/record/record.hpp"

namespace sthd::app {
namespace {

/// What the options ask of the comparison, understood before any record is read.
struct Wanted {
  std::vector<compare::FigureName> columns;
  std::vector<compare::Note> notes;
  std::vector<compare::Limit> limits;
};

Outcome<Wanted> wanted_of(const Options& options) {
  Wanted wanted;
  for (const std::string& text : options.columns) {
    auto names = compare::parse_columns(text);
    if (!names) return names.error();
    std::move(names->begin(), names->end(), std::back_inserter(wanted.columns));
  }
  for (const std::string& text : options.notes) wanted.notes.push_back({text});
  for (const std::string& text : options.limits) {
    auto limit = compare::parse_limit(text);
    if (!limit) return limit.error();
    wanted.limits.push_back(std::move(*limit));
  }
  return wanted;
}

Outcome<Comparison> compared(const compare::Input& input, const Wanted& wanted, bool stages) {
  Comparison comparison = compare::compare(input);
  if (stages) {
    auto table = compare::stages(input, wanted.columns, wanted.notes);
    if (!table) return table.error();
    comparison.stages = std::move(*table);
  }
  auto limits = compare::judge(input, wanted.limits);
  if (!limits) return limits.error();
  comparison.limits = std::move(*limits);
  return comparison;
}

/// A format that cannot show a comparison, and those that can; empty when all can.
std::string format_fault(const Outputs& outputs, const host::PluginHost& plugins) {
  for (const host::FormatterEntry* entry : outputs.formatters()) {
    if (entry->info.compares) continue;
    std::vector<std::string> names;
    for (const auto& other : plugins.formatters()) {
      if (other.info.compares) names.push_back(other.name);
    }
    return fmt::format("the format {} shows no comparison; these do: {}", entry->name,
                       fmt::join(names, ", "));
  }
  return {};
}

/// By what was compared and by the limits, each that is not kept with its sentence on stderr.
int verdict_code(const Comparison& comparison, Terminal& terminal) {
  bool exceeded = false;
  bool unknown = false;
  for (const LimitResult& limit : comparison.limits) {
    if (limit.verdict == LimitVerdict::kept) continue;
    const bool judged = limit.verdict == LimitVerdict::inconclusive;
    judged ? terminal.note(limit.text) : terminal.error(limit.text);
    exceeded = exceeded || limit.verdict == LimitVerdict::exceeded;
    unknown = unknown || limit.verdict == LimitVerdict::unknown;
  }
  if (comparison.rows.empty()) terminal.error("no row of these records could be compared");
  if (unknown || comparison.rows.empty()) return kJobFailed;
  return exceeded ? kExpectationMissed : kMeasured;
}

int usage(const CommandInput& input, const std::string& sentence) {
  input.terminal.error(sentence);
  return kUsage;
}

}  // namespace

int compare_command(const CommandInput& input) {
  const auto wanted = wanted_of(input.options);
  if (!wanted) return usage(input, wanted.error().message);
  auto outputs = Outputs::open(input.options, input.plugins, input.terminal);
  if (!outputs) return opening_fault(outputs.error(), input.terminal);
  if (const auto fault = format_fault(*outputs, input.plugins); !fault.empty()) {
    return usage(input, fault);
  }
  const auto records = read_labelled(input);
  if (!records) return usage(input, records.error().message);
  const auto comparison =
      compared({records->reports, records->labels}, *wanted, input.options.stages);
  if (!comparison) return usage(input, comparison.error().message);
  outputs->finish_together({records->reports, record::to_json(*comparison), &*comparison, true});
  for (const auto& sentence : outputs->lost()) input.terminal.error(sentence);
  const int code = verdict_code(*comparison, input.terminal);
  return outputs->lost().empty() ? code : int{kReportLost};
}

}  // namespace sthd::app
