#include "runner/app/history_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "kit/table/table.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

constexpr std::size_t kColumns = std::tuple_size_v<HistoryLine>;

/// "2026-12-01 09:51:47", out of the name.
std::string started(const host::KeptRun& run) {
  std::string text = run.name.substr(0, 19);
  text[10] = ' ';
  text[13] = text[16] = ':';
  return text;
}

/// "4 of 4"; of fewer jobs than were planned, why.
std::string jobs(const host::KeptRun& run, const record::Imported& content) {
  const auto& records = content.report.records;
  const auto good = std::count_if(records.begin(), records.end(), [](const ResultRecord& record) {
    return record.status == Status::ok;
  });
  const char* state = run.running ? ", running" : content.cut ? ", cut off" : "";
  return fmt::format("{} of {}{}", good, content.planned, state);
}

/// "4K sync T1: IOPS 6822": the first cell of the table that has a figure.
std::string first_figure(const Report& report) {
  const table::Table table = table::build(report);
  for (const table::Row& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (!row.cells[i].value) continue;
      return fmt::format("{}: {} {}", row.label, table.titles[i], row.cells[i].text);
    }
  }
  return {};
}

}  // namespace

HistoryLine history_line(std::size_t index, const host::KeptRun& run,
                         const Outcome<record::Imported>& content) {
  HistoryLine line{fmt::format("@-{}", index), run.id, started(run)};
  if (!content) {
    line.back() = display(content.error().message);
    return line;
  }
  const Report& report = content->report;
  line[3] = display(report.profile.name);
  line[4] = display(report.target.path);
  line[5] = jobs(run, *content);
  line[6] = first_figure(report);
  return line;
}

std::string history_text(std::vector<HistoryLine> lines) {
  lines.insert(lines.begin(), HistoryLine{"Run", "Id", "Started (UTC)", "Profile", "Target",
                                          "Jobs ok", "First figure"});
  std::array<std::size_t, kColumns> widths{};
  for (const HistoryLine& line : lines) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      widths[i] = std::max(widths[i], display_width(line[i]));
    }
  }
  std::string text;
  for (const HistoryLine& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < kColumns; ++i) {
      row += line[i] + std::string(widths[i] - display_width(line[i]) + 2, ' ');
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace sthd::app
