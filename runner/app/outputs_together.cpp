#include "runner/app/outputs.hpp"
#include "runner/record/record.hpp"

namespace sthd::app {
namespace {

/// Who shows what, and its JSON texts.
struct Shown {
  const Together& all;
  const std::vector<std::string>& jsons;
  bool details = false;
};

Outcome<std::string> together(const host::FormatterEntry& entry, const Shown& shown,
                              const std::vector<Plot>& plots) {
  const Together& all = shown.all;
  FormatInput input{all.reports.front(), all.json.empty() ? shown.jsons.front() : all.json};
  input.reports = all.reports;
  input.record_jsons = shown.jsons;
  input.comparison = all.comparison;
  input.details = shown.details;
  input.plots = plots;
  return entry.formatter->render(input);
}

Outcome<std::string> one_by_one(const host::FormatterEntry& entry, const Shown& shown,
                                const std::vector<Plot>& plots) {
  std::string out;
  for (std::size_t i = 0; i < shown.all.reports.size(); ++i) {
    FormatInput input{shown.all.reports[i], shown.jsons[i]};
    input.details = shown.details;
    input.plots = plots;
    const auto text = entry.formatter->render(input);
    if (!text) return text.error();
    out += *text;
  }
  return out;
}

}  // namespace

std::vector<const host::FormatterEntry*> Outputs::formatters() const {
  std::vector<const host::FormatterEntry*> all{on_stdout_};
  for (const Output& output : outputs_) all.push_back(output.formatter);
  return all;
}

bool Outputs::has_single_files() const {
  for (const Output& output : outputs_) {
    if (!output.formatter->info.several) return true;
  }
  return !log_prefix_.empty();
}

void Outputs::finish_together(const Together& all) {
  std::vector<std::string> jsons;
  for (const Report& report : all.reports) {
    jsons.push_back(record::to_json(report));
    if (const auto drawn = plots_.write(report); !drawn) lost_.push_back(drawn.error().message);
  }
  const Shown shown{all, jsons, details_};
  const auto text = [&](const host::FormatterEntry& entry, const std::string& file) {
    const std::vector<Plot> plots = plots_.seen_from(file);
    const bool joint = all.every_format || entry.info.several;
    return joint ? together(entry, shown, plots) : one_by_one(entry, shown, plots);
  };
  print(text(*on_stdout_, ""));
  for (const Output& output : outputs_) write_text(output, text(*output.formatter, output.file));
}

}  // namespace sthd::app
