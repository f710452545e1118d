#include "runner/app/outputs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "runner/app/table_rows.hpp"
#include "runner/record/record.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

namespace fs = std::filesystem;

std::string known_formats(const host::PluginHost& plugins) {
  std::vector<std::string> names;
  for (const auto& entry : plugins.formatters()) names.push_back(entry.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Outcome<const host::FormatterEntry*> pick(const OutputRequest& request,
                                          const host::PluginHost& plugins) {
  if (!request.format.empty()) {
    if (const auto* entry = plugins.formatter(request.format)) return entry;
    return Error{ErrorCode::refused,
                 fmt::format("no formatter is called \"{}\"; there are {}", display(request.format),
                             known_formats(plugins)),
                 0};
  }
  std::string extension = fs::path(request.file).extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  for (const auto& entry : plugins.formatters()) {
    const auto& own = entry.info.extensions;
    if (std::find(own.begin(), own.end(), extension) != own.end()) return &entry;
  }
  return Error{
      ErrorCode::refused,
      fmt::format("no formatter writes \".{}\" files (-o {}); name one with -f NAME:FILE ({})",
                  display(extension), display(request.file), known_formats(plugins)),
      0};
}

/// A pipe or a device: written once, at the end, and never replaced.
bool is_special(const std::string& file) {
  struct stat facts {};
  return ::stat(file.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

/// A new file beside `file`, or -1.
int open_temporary(const std::string& file, std::string& name) {
  name = fmt::format("{}.{}.tmp", file, ::getpid());
  return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

Outcome<Done> check_folder(const std::string& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode)) {
    return Error{ErrorCode::failed,
                 fmt::format("cannot write {}: it is a directory", display(file)), EISDIR};
  }
  if (is_special(file)) {
    if (::access(file.c_str(), W_OK) == 0) return Done{};
    return system_error("cannot write " + display(file), errno);
  }
  std::string temporary;
  const int fd = open_temporary(file, temporary);
  if (fd < 0) return system_error(fmt::format("cannot write {}", display(file)), errno);
  ::close(fd);
  ::unlink(temporary.c_str());
  return Done{};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Outcome<Done> replace_file(const std::string& file, std::string_view text) {
  if (is_special(file)) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    const bool written = fd >= 0 && write_all(fd, text);
    const int code = errno;
    if (fd >= 0) ::close(fd);
    if (!written) return system_error("cannot write " + display(file), code);
    return Done{};
  }
  std::string temporary;
  const int fd = open_temporary(file, temporary);
  if (fd < 0) return system_error("cannot write " + display(file), errno);
  bool good = write_all(fd, text) && ::fsync(fd) == 0;
  int code = errno;
  good = ::close(fd) == 0 && good;
  if (good && ::rename(temporary.c_str(), file.c_str()) != 0) {
    code = errno;
    good = false;
  }
  if (good) return Done{};
  ::unlink(temporary.c_str());
  return system_error("cannot write " + display(file), code);
}

}  // namespace

Outcome<Outputs> Outputs::open(const std::vector<OutputRequest>& requests,
                               const host::PluginHost& plugins, Terminal& terminal) {
  Outputs result(terminal);
  std::vector<OutputRequest> wanted = requests;
  const bool stdout_taken =
      std::any_of(wanted.begin(), wanted.end(), [](const auto& r) { return r.file.empty(); });
  if (!stdout_taken) wanted.push_back({"ascii", ""});
  for (const auto& request : wanted) {
    const auto formatter = pick(request, plugins);
    if (!formatter) return formatter.error();
    if (request.file.empty()) {
      result.on_stdout_ = *formatter;
    } else {
      if (auto good = check_folder(request.file); !good) return good.error();
      result.outputs_.push_back({*formatter, request.file});
    }
  }
  result.streams_ = result.on_stdout_->info.streams && terminal.facts().stdout_is_tty;
  return result;
}

void Outputs::print(const Outcome<std::string>& text) {
  if (!text) {
    lost_.push_back(
        fmt::format("the formatter {} failed: {}", on_stdout_->name, text.error().message));
  } else if (!terminal_->output(*text)) {
    lost_.emplace_back("the table could not be written to stdout");
  }
}

void Outputs::begin(const Report& report) {
  if (streams_) print(on_stdout_->formatter->head({report, {}}));
}

void Outputs::update(const Report& report) {
  stream_rows(report);
  write_files(report, false);
}

void Outputs::stream_rows(const Report& report) {
  if (!streams_) return;
  for (; rows_printed_ < complete_rows(report); ++rows_printed_) {
    print(on_stdout_->formatter->row({report, {}}, rows_printed_));
  }
}

void Outputs::finish(const Report& report) {
  stream_rows(report);
  if (streams_) {
    print(on_stdout_->formatter->tail({report, {}}));
  } else {
    const std::string json = record::to_json(report);
    print(on_stdout_->formatter->render({report, json}));
  }
  write_files(report, true);
}

void Outputs::write_files(const Report& report, bool last) {
  if (outputs_.empty()) return;
  lost_.erase(
      std::remove_if(lost_.begin(), lost_.end(),
                     [](const std::string& text) { return text.starts_with("cannot write "); }),
      lost_.end());
  const std::string json = record::to_json(report);
  for (const auto& output : outputs_) {
    if (!last && is_special(output.file)) continue;
    const auto text = output.formatter->formatter->render({report, json});
    if (!text) {
      lost_.push_back(fmt::format("cannot write {}: the formatter {} failed: {}",
                                  display(output.file), output.formatter->name,
                                  text.error().message));
    } else if (const auto done = replace_file(output.file, *text); !done) {
      lost_.push_back(done.error().message);
    }
  }
}

}  // namespace sthd::app
