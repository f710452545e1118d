#include "runner/app/record_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "runner/analyze/analyze.hpp"
#include "runner/app/explain.hpp"
#include "runner/app/outputs.hpp"
#include "runner/app/run_names.hpp"
#include "runner/host/whole_file.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

std::string shown(const std::string& file) { return file == "-" ? "stdin" : display(file); }

Error cannot_read(const std::string& file, const Error& why) {
  return {ErrorCode::refused, fmt::format("cannot read {}{}", shown(file), why.message),
          why.system_errno};
}

/// What a file has, or a run that was kept. The Error is a sentence that names it.
Outcome<std::string> read_text(const std::string& file) {
  if (is_index(file)) return read_run(file);
  const int fd = file == "-" ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT && may_be_run(file)) return read_run(file);
  if (fd < 0) return cannot_read(file, system_error("", errno));
  auto text = host::read_all(fd);
  if (fd != STDIN_FILENO) ::close(fd);
  if (!text) return cannot_read(file, text.error());
  return text;
}

}  // namespace

Outcome<record::Imported> read_report_file(const std::string& file) {
  const auto text = read_text(file);
  if (!text) return text.error();
  auto report = record::import_report(*text);
  if (report) return report;
  return Error{ErrorCode::refused,
               fmt::format("{}: {}; give a record that -f json wrote, or what fio "
                           "--output-format=json printed, whole",
                           shown(file), display(report.error().message)),
               0};
}

Outcome<record::Imported> read_judged(const CommandInput& input, const std::string& file) {
  auto imported = read_report_file(file);
  if (!imported) return imported;
  const Report& report = imported->report;
  if (imported->cut) {
    const std::size_t there = report.records.size();
    input.terminal.note(fmt::format("note: {} ends early: {} of {} jobs {} in it", shown(file),
                                    there, imported->planned, there == 1 ? "is" : "are"));
  }
  // A record has its findings; of a part, and of fio's figures, nobody has made any yet.
  if (imported->cut || imported->source == record::Source::fio) analyze::judge(imported->report);
  return imported;
}

int render_report(const CommandInput& input, const Report& report) {
  const Options& options = input.options;
  auto outputs = Outputs::open(options, input.plugins, input.terminal);
  if (!outputs) {
    input.terminal.error(outputs.error().message);
    return outputs.error().code == ErrorCode::refused ? kUsage : kReportLost;
  }
  outputs->begin(report);
  outputs->finish(report);
  if (options.explain) input.terminal.note(explain_report(outputs->shown(report)));
  for (const auto& sentence : outputs->lost()) input.terminal.error(sentence);
  return outputs->lost().empty() ? kMeasured : kReportLost;
}

}  // namespace sthd::app
