#include <fmt/format.h>

#include "runner/app/command_line.hpp"

namespace sthd::app {
namespace {

constexpr std::string_view kUnits =
    "\nSizes: 4096, 4k or 4KiB (binary), 4kB (decimal). Times: 500ms, 5s, 1m; a bare number is\n"
    "seconds. Rates are MB/s = 10^6 bytes per second.\n";

constexpr std::string_view kExitCodes =
    "\nExit codes:\n"
    "  0    measured\n"
    "  1    a job failed, a named engine or a required row was skipped, or nothing was measured\n"
    "  2    the command line, the profile or a record is wrong\n"
    "  3    a requirement (with --strict, any expectation) or a --fail-if was missed\n"
    "  4    the target was refused (kind, space, permission)\n"
    "  5    a report could not be written\n"
    "  75   another run holds the target\n"
    "  128+n  ended by signal n\n";

std::string options_of(unsigned form) {
  std::string text = "\nOptions:\n";
  for (const auto& row : option_rows()) {
    if ((row.forms & form) == 0 || row.help.empty()) continue;
    std::string left(row.names);
    if (const auto comma = left.find(','); comma != std::string::npos) left.insert(comma + 1, " ");
    if (!row.value.empty()) left += fmt::format(" {}", row.value);
    text += fmt::format("  {:<26} {}\n", left, row.help);
  }
  return text;
}

std::string usage_line(const CommandRow& row) {
  return fmt::format("speedtest-hd {}{}{}{} [options]", row.name, row.arguments.empty() ? "" : " ",
                     row.arguments, row.time_follows ? " [TIME]" : "");
}

}  // namespace

std::string help_text(const CommandRow* command) {
  if (command != nullptr) {
    return fmt::format("{}\n  {}\n\nExample: {}\n{}{}{}", usage_line(*command), command->summary,
                       command->example, options_of(command->form),
                       (command->form & kJobs) != 0 ? kUnits : "", kExitCodes);
  }
  std::string text =
      "speedtest-hd: a storage benchmark that says when a number is not what it seems\n\nUsage:\n";
  for (const auto& row : command_rows()) {
    text += fmt::format("  {}\n      {}\n      {}\n", usage_line(row), row.summary, row.example);
  }
  text +=
      "  speedtest-hd PATH [--fio|--dd|--slog] [options]\n"
      "      the original form: the cdm profile, or what the flag says\n"
      "      speedtest-hd /mnt/pool --slog --runtime=30\n"
      "      (a directory called run or list is reached as ./run)\n"
      "  speedtest-hd --explain [CODE]\n"
      "      what a finding means and how to fix it; without CODE, all there are\n"
      "      speedtest-hd --explain cached-reads\n";
  return text + options_of(kAll) + std::string(kUnits) + std::string(kExitCodes);
}

std::string version_text() {
  return fmt::format("speedtest-hd {} ({})\n", STHD_VERSION, STHD_BUILD_NAME);
}

}  // namespace sthd::app
