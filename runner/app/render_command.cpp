#include <fmt/format.h>

#include <algorithm>

#include "runner/app/record_file.hpp"
#include "runner/app/together.hpp"

namespace sthd::app {
namespace {

int render_each(const CommandInput& input) {
  int code = kMeasured;
  for (const std::string& file : input.options.files) {
    auto imported = read_judged(input, file);
    if (!imported) {
      input.terminal.error(imported.error().message);
      return kUsage;
    }
    code = std::max(code, render_report(input, imported->report));
    if (code != kMeasured) break;
  }
  return code;
}

}  // namespace

int render_command(const CommandInput& input) {
  const std::size_t records = input.options.files.size();
  if (records < 2) return render_each(input);
  auto outputs = Outputs::open(input.options, input.plugins, input.terminal);
  if (!outputs) return opening_fault(outputs.error(), input.terminal);
  if (outputs->has_single_files()) {
    input.terminal.error(fmt::format(
        "{} records would go to one file; render them one by one, or to stdout", records));
    return kUsage;
  }
  return shows_several(*outputs) ? render_together(input, *outputs) : render_each(input);
}

}  // namespace sthd::app
