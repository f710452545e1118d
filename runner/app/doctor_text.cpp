#include "runner/app/doctor_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "kit/table/summary.hpp"
#include "runner/analyze/effects.hpp"
#include "runner/analyze/measured.hpp"
#include "sthd/metrics.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

using analyze::number;
using analyze::word;

constexpr std::string_view kEffect = "measured-effect";
constexpr std::string_view kFloor = "host-floor";

/// "unknown (this machine shows no cpufreq)"
std::string unknown(const Report& report, std::string_view name) {
  const Fact* fact = find_fact(report.facts, name);
  return fact == nullptr || fact->unknown_because.empty()
             ? "unknown"
             : fmt::format("unknown ({})", display(fact->unknown_because));
}

std::string shown(const Report& report, std::string_view name) {
  const std::string_view text = word(report, name);
  return text.empty() ? unknown(report, name) : display(text);
}

std::string governor(const Report& report) {
  std::string text = shown(report, "cpu.governor");
  const auto now = number(report, "cpu.mhz_now");
  const auto most = number(report, "cpu.mhz_max");
  if (now && most) text += fmt::format(", {:.0f} of {:.0f} MHz", *now, *most);
  return text;
}

std::string idle_states(const Report& report) {
  std::string text = shown(report, "cpu.idle_states");
  const auto wake = number(report, "cpu.idle_latency_max_us");
  if (wake) text += fmt::format(", the deepest takes {:.0f} us to wake from", *wake);
  return text;
}

std::string clock_text(const Report& report) {
  std::string text = shown(report, "clock.source");
  const auto read = number(report, "clock.read_ns");
  if (read) text += fmt::format(", {:.1f} ns a look", *read);
  return text;
}

std::string names(const Report& report, std::string_view key) {
  std::vector<std::string> found;
  for (std::size_t i = 0;; ++i) {
    const std::string_view name = word(report, fmt::format("{}.{}.name", key, i));
    if (name.empty()) return fmt::format("{}", fmt::join(found, ", "));
    found.push_back(display(name));
  }
}

/// What a sync write waits for: the log device of a pool, or the disks themselves.
std::string log_device(const Report& report) {
  if (analyze::on_zfs(report)) {
    const std::string logs = names(report, "zfs.log");
    if (!logs.empty()) return logs;
    return analyze::has_log(report) == false ? "none: the pool's own disks hold the log"
                                             : unknown(report, "zfs.log.0.name");
  }
  const std::string disks = names(report, "disk");
  if (disks.empty()) return "none known: no disk was found below the target";
  return fmt::format("none of its own: the writes go to {} ({}, FUA {})", disks,
                     shown(report, "disk.0.write_cache"), shown(report, "disk.0.fua"));
}

std::string sync_text(const Report& report) {
  const std::string_view filesystem = report.target.filesystem;
  if (analyze::on_zfs(report)) {
    return fmt::format("sync={}, logbias={}", shown(report, "zfs.sync"),
                       shown(report, "zfs.logbias"));
  }
  if (!word(report, "nfs.version").empty() || filesystem.starts_with("nfs")) {
    return fmt::format("NFS, sync mount {}", shown(report, "nfs.sync"));
  }
  std::string text =
      fmt::format("{}, barriers {}", filesystem.empty() ? "unknown" : display(filesystem),
                  shown(report, "target.barrier"));
  const std::string_view mode = word(report, "target.data_mode");
  if (!mode.empty()) text += fmt::format(", data={}", display(mode));
  return text;
}

std::string floor_text(const Report& report) {
  const auto floor = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const Finding& finding) { return finding.code == kFloor; });
  if (floor != report.findings.end()) return display(floor->text);
  const auto mean = number(report, "floor.mean_ns");
  return mean ? fmt::format("{:.1f} us for the same write to tmpfs", *mean / 1e3)
              : unknown(report, "floor.mean_ns");
}

void section(std::string& out, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  out += fmt::format("\n{}\n", title);
  for (const std::string& line : lines) out += fmt::format("  {}\n", line);
}

std::vector<std::string> fact_section(const Report& report) {
  const std::pair<const char*, std::string> facts[] = {
      {"governor", governor(report)}, {"idle states", idle_states(report)},
      {"clock", clock_text(report)},  {"log device", log_device(report)},
      {"sync", sync_text(report)},    {"floor", floor_text(report)}};
  std::vector<std::string> lines;
  for (const auto& [name, text] : facts) lines.push_back(fmt::format("{:<12} {}", name, text));
  return lines;
}

/// Others on the same cores and disks make intervals wide: that is no property of the target.
std::string_view effects_title(const Report& report) {
  const bool disturbed =
      std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
        return finding.code == "cpu-stolen" || finding.code == "foreign-load";
      });
  return disturbed ? "Measured effects (95 % intervals, which other load has made wider):"
                   : "Measured effects (95 % intervals):";
}

/// What was measured, and of the rows that have no figure why.
std::vector<std::string> effect_section(const Report& report) {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    if (finding.code == kEffect) lines.push_back(display(finding.text));
  }
  for (const ResultRecord& record : report.records) {
    if (record.status == Status::ok || !record.reason) continue;
    const Condition condition = record.job.workload.condition;
    lines.push_back(display(fmt::format("{} {}: {}", record.job.label, to_text(record.status),
                                        reason_alone(*record.reason, condition))));
  }
  return lines;
}

/// One of each code and severity, with its row and how many rows it is about.
std::vector<std::string> finding_section(const Report& report) {
  std::vector<std::pair<const Finding*, std::size_t>> found;
  for (const Finding* finding : table::sorted_findings(report)) {
    if (finding->code == kEffect || finding->code == kFloor) continue;
    const auto same = std::find_if(found.begin(), found.end(), [&](const auto& each) {
      return each.first->code == finding->code && each.first->severity == finding->severity;
    });
    if (same == found.end()) {
      found.emplace_back(finding, 1);
    } else {
      ++same->second;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [finding, rows] : found) {
    std::string where;
    for (const ResultRecord& record : report.records) {
      if (record.job.id == finding->job) where = record.job.label + ": ";
    }
    lines.push_back(display(fmt::format(
        "{} ({}{}): {}{}", finding->code, to_text(finding->severity),
        rows > 1 ? fmt::format(", {} rows, the first here", rows) : "", where, finding->text)));
    if (!finding->remedy.empty()) lines.push_back("  " + display(finding->remedy));
  }
  return lines;
}

std::vector<std::string> remedy_section(const Report& report) {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    if (finding.code != kEffect || finding.remedy.empty()) continue;
    std::string line = display(finding.remedy);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

const ResultRecord* row_of(const Report& report, Condition condition) {
  const auto found = std::find_if(
      report.records.begin(), report.records.end(), [condition](const ResultRecord& record) {
        return record.job.workload.condition == condition && record.job.checks.empty();
      });
  return found == report.records.end() ? nullptr : &*found;
}

}  // namespace

std::string doctor_text(const Report& report) {
  std::string out;
  section(out, "What sync writes depend on here:", fact_section(report));
  section(out, effects_title(report), effect_section(report));
  section(out, "Where the time goes (means):", table::layer_lines(report));
  std::vector<std::string> findings = finding_section(report);
  if (findings.empty()) findings.emplace_back("none");
  section(out, "Findings:", findings);
  section(out, "To keep what helped:", remedy_section(report));
  return out;
}

std::string missing(const Report& report, Condition condition) {
  const ResultRecord* row = row_of(report, condition);
  if (row == nullptr) return "it was not measured";
  if (row->status == Status::ok) return "";
  return reason_alone(row->reason.value_or("it was not measured"), condition);
}

std::string reason_alone(std::string reason, Condition condition) {
  const std::string name = fmt::format("{}: ", to_text(condition));
  if (reason.starts_with(name)) reason.erase(0, name.size());
  return reason;
}

std::string try_text(const Report& report, Condition condition) {
  const ResultRecord* without = row_of(report, Condition::as_is);
  const ResultRecord* with = row_of(report, condition);
  if (without == nullptr || with == nullptr) return {};
  const Op op = with->job.workload.op;
  const auto base = by_repeat(*without, op, "iops");
  const auto changed = by_repeat(*with, op, "iops");
  const auto ratio = analyze::paired_ratio(base, changed);
  std::string out = "\n";
  if (!ratio) {
    return out + fmt::format(
                     "{}: {} against {} measurements say nothing yet; use --repeat {} or "
                     "more\n",
                     to_text(condition), changed.size(), base.size(), analyze::kFewestPairs);
  }
  out += analyze::gain_text(condition, *ratio) + "\n";
  if (analyze::shown_by(ratio) == analyze::Shown::differs && ratio->low > 1) {
    out += "to keep it: " + display(analyze::keeping(report, condition)) + "\n";
  }
  return out;
}

}  // namespace sthd::app
