#include "runner/app/watch_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "runner/app/watch_figures.hpp"
#include "sthd/text.hpp"
#include "sthd/units.hpp"

namespace sthd::app {
namespace {

using Number = std::optional<double>;
using Row = std::vector<std::string>;

std::string shown(const Number& value, int precision, std::string_view unit = {}) {
  return value ? fmt::format("{:.{}f}{}", *value, precision, unit) : "";
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return left ? text + blanks : blanks + text;
}

/// First two columns left, numbers right; a column in which nothing is known is left out.
std::string table_of(const std::vector<Row>& rows) {
  std::string out;
  std::vector<std::size_t> widths(rows.front().size());
  std::vector<bool> known(widths.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(rows[r][i]));
      known[i] = known[i] || (r > 0 && !rows[r][i].empty());
    }
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!known[i]) continue;
      line += (line.empty() ? "" : "  ") + padded(row[i], widths[i], i < 2);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string disk_table(const WatchFigures& figures) {
  std::vector<Row> rows{{"disk", "role", "read/s", "MB/s", "us", "write/s", "MB/s", "us", "flush/s",
                         "us", "busy", "depth", "stall"}};
  const auto add = [](Row& row, const Stream& stream, bool with_bytes) {
    row.push_back(shown(stream.per_second, 1));
    if (with_bytes) row.push_back(shown(stream.megabytes_per_second, 2));
    row.push_back(shown(stream.mean_us, 0));
  };
  for (const DiskFigures& disk : figures.disks) {
    Row row{disk.name, disk.role};
    add(row, disk.read, true);
    add(row, disk.write, true);
    add(row, disk.flush, false);
    row.push_back(shown(disk.busy_percent, 0, " %"));
    row.push_back(shown(disk.in_flight_mean, 1));
    row.push_back(disk.longest_stall_ns ? shown(*disk.longest_stall_ns / 1e9, 1, " s") : "");
    rows.push_back(std::move(row));
  }
  return table_of(rows);
}

/// "/mnt/pool (zfs on tank/vm)".
std::string where(const Facts& facts) {
  std::string text = display(fact_text(facts, "target.path").value_or("the target"));
  const auto filesystem = fact_text(facts, "target.filesystem");
  const auto source = fact_text(facts, "target.source");
  if (!filesystem) return text;
  text += " (" + display(*filesystem);
  if (source) text += " on " + display(*source);
  return text + ")";
}

/// `text` in lines of at most 100 columns, the later ones indented.
std::string wrapped(std::string_view text) {
  constexpr std::size_t kWidth = 100;
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::size_t width = display_width(word);
    if (column > 0 && column + 1 + width > kWidth) {
      out += "\n  ";
      column = 2;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out + "\n";
}

/// What a sentence would have needed, by the reason why it is not there.
std::string unknowns(const Facts& facts, const Facts& window) {
  constexpr std::array<std::string_view, 7> kUsed{"flush_ios",
                                                  "zil.commits",
                                                  "zil.slog_bytes",
                                                  "cpu.mhz_mean",
                                                  "psi.io_some_ns",
                                                  "disk.0.name",
                                                  "cpu.idle_deep_share_percent"};
  std::vector<std::pair<std::string, std::string>> groups;  // reason, names
  for (const Facts* all : {&window, &facts}) {
    for (const Fact& fact : *all) {
      const bool used = std::any_of(kUsed.begin(), kUsed.end(),
                                    [&](auto end) { return fact.name.ends_with(end); });
      if (!used || !std::holds_alternative<std::monostate>(fact.value)) continue;
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
        return group.first == fact.unknown_because;
      });
      if (same == groups.end()) {
        groups.emplace_back(fact.unknown_because, fact.name);
      } else {
        same->second += ", " + fact.name;
      }
    }
  }
  std::string out;
  for (const auto& [reason, names] : groups) {
    out += wrapped(fmt::format("(not known: {}: {})", display(names), display(reason)));
  }
  return out;
}

void add_if(std::vector<std::string>& parts, const Number& value, int precision,
            std::string_view before, std::string_view after) {
  if (value) parts.push_back(fmt::format("{}{:.{}f}{}", before, *value, precision, after));
}

}  // namespace

std::vector<std::string> watch_line(const Facts& facts, const Facts& second) {
  const WatchFigures figures = watch_figures(facts, second);
  std::vector<std::string> parts;
  const Stream read = sum_of(figures, &DiskFigures::read);
  const Stream write = sum_of(figures, &DiskFigures::write);
  for (const auto& [letter, stream] : {std::pair{"w", write}, std::pair{"r", read}}) {
    if (!stream.per_second || !stream.megabytes_per_second) continue;
    std::string text = fmt::format("{} {:.1f} MB/s {:.0f} IOPS", letter,
                                   *stream.megabytes_per_second, *stream.per_second);
    if (stream.mean_us) text += fmt::format(" {:.0f} us", *stream.mean_us);
    parts.push_back(std::move(text));
  }
  add_if(parts, sum_of(figures, &DiskFigures::flush).per_second, 0, "", " flush/s");
  add_if(parts, rate_of(second, "zil.commits"), 0, "ZIL ", "/s");
  if (const Number slog = rate_of(second, "zil.slog_bytes")) {
    add_if(parts, *slog / kMB, 1, "slog ", " MB/s");
  }
  Number busiest;
  Number depth;
  for (const DiskFigures& disk : figures.disks) {
    if (disk.busy_percent) busiest = std::max(busiest.value_or(0), *disk.busy_percent);
    if (disk.in_flight_mean) depth = depth.value_or(0) + *disk.in_flight_mean;
  }
  add_if(parts, busiest, 0, "busy ", " %");
  add_if(parts, depth, 1, "depth ", "");
  if (const Number mhz = fact_number(second, "cpu.mhz_mean"))
    add_if(parts, *mhz / 1e3, 1, "CPU ", " GHz");
  add_if(parts, cpu_share_percent(second, "host.cpu_idle_ns"), 0, "CPU idle ", " %");
  if (const Number psi = rate_of(second, "psi.io_some_ns")) {
    add_if(parts, std::min(100.0, *psi / 1e7), 0, "waiting for I/O ", " %");
  }
  return parts;
}

std::string watch_text(const Facts& facts, const Facts& window) {
  const WatchFigures figures = watch_figures(facts, window);
  std::string out = fmt::format("Watched {} for {:.1f} s", where(facts), figures.seconds);
  out += figures.disks.empty() ? ".\n"
                               : "; the counters are those of whole disks, whoever uses them.\n\n" +
                                     disk_table(figures);
  const auto sentences = watch_sentences(facts, window);
  if (!sentences.empty()) out += "\n";
  for (const std::string& sentence : sentences) out += wrapped("- " + sentence);
  const std::string missing = unknowns(facts, window);
  return missing.empty() ? out : out + "\n" + missing;
}

}  // namespace sthd::app
