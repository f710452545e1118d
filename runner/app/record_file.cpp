#include "runner/app/record_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "runner/app/explain.hpp"
#include "runner/app/outputs.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

constexpr std::size_t kMost = std::size_t{256} << 20;  // bytes, as much as a record may have
constexpr std::size_t kPiece = std::size_t{1} << 16;

/// All of it, or one byte more than is allowed.
Outcome<std::string> read_all(int fd) {
  std::string text;
  while (text.size() <= kMost) {
    const std::size_t size = text.size();
    text.resize(size + kPiece);
    const ssize_t n = ::read(fd, text.data() + size, kPiece);
    text.resize(size + static_cast<std::size_t>(n > 0 ? n : 0));
    if (n == 0) break;
    if (n < 0 && errno != EINTR) return system_error("", errno);
  }
  return text;
}

Outcome<std::string> read_text(const std::string& file) {
  if (file == "-") return read_all(STDIN_FILENO);
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error("", errno);
  auto text = read_all(fd);
  ::close(fd);
  return text;
}

}  // namespace

Outcome<record::Imported> read_report_file(const std::string& file) {
  const std::string name = file == "-" ? "stdin" : display(file);
  const auto text = read_text(file);
  if (!text) {
    return Error{ErrorCode::refused, fmt::format("cannot read {}{}", name, text.error().message),
                 text.error().system_errno};
  }
  auto report = record::import_report(*text);
  if (report) return report;
  return Error{ErrorCode::refused,
               fmt::format("{}: {}; give a record that -f json wrote, or what fio "
                           "--output-format=json printed, whole",
                           name, display(report.error().message)),
               0};
}

int render_report(const CommandInput& input, const Report& report) {
  const Options& options = input.options;
  auto outputs = Outputs::open(options.outputs, options.log_prefix, input.plugins, input.terminal);
  if (!outputs) {
    input.terminal.error(outputs.error().message);
    return outputs.error().code == ErrorCode::refused ? kUsage : kReportLost;
  }
  outputs->begin(report);
  outputs->finish(report);
  if (options.explain) input.terminal.note(explain_report(report));
  for (const auto& sentence : outputs->lost()) input.terminal.error(sentence);
  return outputs->lost().empty() ? kMeasured : kReportLost;
}

}  // namespace sthd::app
