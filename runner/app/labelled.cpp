#include "runner/app/labelled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "runner/app/record_file.hpp"
#include "runner/app/run_names.hpp"
#include "runner/record/share.hpp"

namespace sthd::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdBegin = 8;

bool exists(const std::string& word) {
  std::error_code error;
  return fs::exists(word, error);
}

std::string short_label(const Named& record, const std::string& run_id) {
  if (!record.label.empty()) return record.label;
  if (record.file == "-") return "stdin";
  if (is_index(record.file)) return run_id.substr(0, kIdBegin);
  const std::string stem = fs::path(record.file).stem().string();
  return stem.empty() ? record.file : stem;
}

bool is_twice(const std::vector<std::string>& labels, const std::string& label) {
  return std::count(labels.begin(), labels.end(), label) > 1;
}

}  // namespace

Named named(const std::string& word, bool is_file) {
  const std::size_t equals = word.find('=');
  if (is_file || equals == 0 || equals == std::string::npos || equals + 1 == word.size()) {
    return {"", word};
  }
  return {word.substr(0, equals), word.substr(equals + 1)};
}

std::vector<std::string> labels_of(const std::vector<Named>& records,
                                   const std::vector<std::string>& run_ids) {
  std::vector<std::string> brief;
  for (std::size_t i = 0; i < records.size(); ++i) {
    brief.push_back(short_label(records[i], run_ids[i]));
  }
  std::vector<std::string> labels = brief;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].label.empty() && is_twice(brief, brief[i])) labels[i] = records[i].file;
  }
  const std::vector<std::string> same = labels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto before =
        std::count(same.begin(), same.begin() + static_cast<std::ptrdiff_t>(i), same[i]);
    if (before > 0) labels[i] += fmt::format(" ({})", before + 1);
  }
  return labels;
}

Outcome<Labelled> read_labelled(const CommandInput& input) {
  Labelled all;
  std::vector<Named> records;
  std::vector<std::string> run_ids;
  for (const std::string& word : input.options.files) {
    records.push_back(named(word, exists(word)));
    auto imported = read_judged(input, records.back().file);
    if (!imported) return imported.error();
    const Report& report = imported->report;
    run_ids.push_back(report.run_id);
    all.reports.push_back(input.options.share ? record::shared(report) : report);
  }
  all.labels = labels_of(records, run_ids);
  return all;
}

}  // namespace sthd::app
