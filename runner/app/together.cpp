#include "runner/app/together.hpp"

#include <algorithm>
#include <utility>

#include "runner/app/explain.hpp"
#include "runner/compare/compare.hpp"
#include "runner/compare/stages.hpp"
#include "runner/record/record.hpp"

namespace sthd::app {

bool shows_several(const Outputs& outputs) {
  const auto formatters = outputs.formatters();
  return std::any_of(formatters.begin(), formatters.end(),
                     [](const auto* entry) { return entry->info.several; });
}

int opening_fault(const Error& error, Terminal& terminal) {
  terminal.error(error.message);
  return error.code == ErrorCode::refused ? kUsage : kReportLost;
}

int render_together(const CommandInput& input, Outputs& outputs) {
  const auto records = read_labelled(input);
  if (!records) {
    input.terminal.error(records.error().message);
    return kUsage;
  }
  const compare::Input compared{records->reports, records->labels};
  Comparison comparison = compare::compare(compared);
  if (auto stages = compare::stages(compared, {}, {})) comparison.stages = std::move(*stages);
  outputs.finish_together({records->reports, "", &comparison, false});
  if (input.options.explain) {
    for (const Report& report : records->reports) input.terminal.note(explain_report(report));
  }
  for (const auto& sentence : outputs.lost()) input.terminal.error(sentence);
  return outputs.lost().empty() ? kMeasured : kReportLost;
}

}  // namespace sthd::app
