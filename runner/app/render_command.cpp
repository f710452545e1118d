#include <fmt/format.h>

#include <algorithm>

#include "runner/analyze/analyze.hpp"
#include "runner/app/record_file.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

/// Several records are shown one after the other, which a file cannot hold.
std::string fault(const Options& options) {
  const bool to_files =
      !options.log_prefix.empty() ||
      std::any_of(options.outputs.begin(), options.outputs.end(),
                  [](const OutputRequest& output) { return !output.file.empty(); });
  if (options.files.size() < 2 || !to_files) return {};
  return fmt::format("{} records would go to one file; render them one by one, or to stdout",
                     options.files.size());
}

}  // namespace

int render_command(const CommandInput& input) {
  if (const auto sentence = fault(input.options); !sentence.empty()) {
    input.terminal.error(sentence);
    return kUsage;
  }
  int code = kMeasured;
  for (const std::string& file : input.options.files) {
    auto imported = read_report_file(file);
    if (!imported) {
      input.terminal.error(imported.error().message);
      return kUsage;
    }
    // A record has its findings; nobody has looked at fio's figures yet.
    if (imported->source == record::Source::fio) analyze::judge(imported->report);
    code = std::max(code, render_report(input, imported->report));
    if (code != kMeasured) break;
  }
  return code;
}

}  // namespace sthd::app
