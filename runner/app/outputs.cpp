#include "runner/app/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "runner/app/logs.hpp"
#include "runner/app/report_file.hpp"
#include "runner/app/table_rows.hpp"
#include "runner/record/record.hpp"
#include "runner/record/share.hpp"
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

}  // namespace

Outcome<Outputs> Outputs::open(const Options& options, const host::PluginHost& plugins,
                               Terminal& terminal) {
  Outputs result(terminal);
  result.details_ = options.details;
  result.share_ = options.share;
  result.log_prefix_ = options.log_prefix;
  result.plots_ = PlotFiles(options.plots, options.files.size() > 1);
  std::vector<OutputRequest> wanted = options.outputs;
  const bool stdout_taken =
      std::any_of(wanted.begin(), wanted.end(), [](const auto& r) { return r.file.empty(); });
  if (!stdout_taken) wanted.push_back({"ascii", ""});
  for (const auto& request : wanted) {
    const auto formatter = pick(request, plugins);
    if (!formatter) return formatter.error();
    if (request.file.empty()) {
      result.on_stdout_ = *formatter;
    } else {
      if (auto good = check_file(request.file); !good) return good.error();
      result.outputs_.push_back({*formatter, request.file});
    }
  }
  if (const std::string& prefix = result.log_prefix_; !prefix.empty()) {
    if (auto good = check_file(log_file(prefix, LogKind::bw, 1)); !good) return good.error();
  }
  if (auto good = result.plots_.check(); !good) return good.error();
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

const Report& Outputs::shown(const Report& report) {
  if (!share_) return report;
  return shared_.emplace(record::shared(report));
}

void Outputs::begin(const Report& report) {
  if (streams_) print(on_stdout_->formatter->head({shown(report), {}}));
}

void Outputs::update(const Report& report) {
  const Report& seen = shown(report);
  stream_rows(seen);
  if (!outputs_.empty()) write_files(seen, record::to_json(seen), false);
}

void Outputs::stream_rows(const Report& report) {
  if (!streams_) return;
  for (; rows_printed_ < complete_rows(report); ++rows_printed_) {
    print(on_stdout_->formatter->row({report, {}}, rows_printed_));
  }
}

void Outputs::finish(const Report& report) {
  const Report& seen = shown(report);
  stream_rows(seen);
  const auto drawn = plots_.write(seen);
  const std::string json = streams_ && outputs_.empty() ? "" : record::to_json(seen);
  if (streams_) {
    print(on_stdout_->formatter->tail({seen, {}}));
  } else {
    const std::vector<Plot> plots = plots_.seen_from("");
    print(on_stdout_->formatter->render(input(seen, json, plots)));
  }
  write_files(seen, json, true);
  if (!drawn) lost_.push_back(drawn.error().message);
  write_logs(seen);
}

FormatInput Outputs::input(const Report& report, const std::string& json,
                           const std::vector<Plot>& plots) const {
  FormatInput result{report, json};
  result.details = details_;
  result.plots = plots;
  return result;
}

void Outputs::write_logs(const Report& report) {
  if (log_prefix_.empty()) return;
  for (const Log& log : logs_of(report, log_prefix_)) {
    if (const auto done = replace_file(log.file, log.text); !done) {
      lost_.push_back(done.error().message);
      return;  // the others would say the same
    }
  }
}

void Outputs::write_files(const Report& report, const std::string& json, bool last) {
  if (outputs_.empty()) return;
  lost_.erase(
      std::remove_if(lost_.begin(), lost_.end(),
                     [](const std::string& text) { return text.starts_with("cannot write "); }),
      lost_.end());
  for (const auto& output : outputs_) {
    if (!last && is_special(output.file)) continue;
    const std::vector<Plot> plots = plots_.seen_from(output.file);
    write_text(output, output.formatter->formatter->render(input(report, json, plots)));
  }
}

void Outputs::write_text(const Output& output, const Outcome<std::string>& text) {
  if (!text) {
    lost_.push_back(fmt::format("cannot write {}: the formatter {} failed: {}",
                                display(output.file), output.formatter->name,
                                text.error().message));
  } else if (const auto done = replace_file(output.file, *text); !done) {
    lost_.push_back(done.error().message);
  }
}

}  // namespace sthd::app
