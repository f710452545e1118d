#include "kit/table/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "kit/table/delta.hpp"
#include "sthd/facts.hpp"
#include "sthd/metrics.hpp"
#include "sthd/text.hpp"
#include "sthd/units.hpp"

namespace sthd::table {
namespace {

constexpr std::size_t kWholeFindings = 3;
constexpr std::size_t kLines = 3;  // of one kind of fact

std::string name_of(const Job& job) {
  return fmt::format("{} {}", job.label, to_text(job.workload.op));
}

/// Equal statements about several jobs, in order of appearance.
class Statements {
 public:
  void add(std::string text, std::string where) {
    const auto same = [&text](const Statement& known) { return known.text == text; };
    const auto found = std::find_if(statements_.begin(), statements_.end(), same);
    if (found == statements_.end()) {
      statements_.push_back({std::move(text), {std::move(where)}});
    } else if (std::find(found->where.begin(), found->where.end(), where) == found->where.end()) {
      found->where.push_back(std::move(where));
    }
  }

  /// "statement (SEQ1M Q8T1 read and 3 more)"; without the jobs where it is true of all `jobs`.
  [[nodiscard]] std::vector<std::string> lines(std::size_t jobs) const {
    std::vector<std::string> result;
    for (const Statement& statement : statements_) {
      if (result.size() == kLines) {
        result.push_back(fmt::format("+{} more", statements_.size() - kLines));
        break;
      }
      std::string line = statement.text;
      if (statement.where.size() < jobs) line += fmt::format(" ({})", place(statement.where));
      result.push_back(display(line));
    }
    return result;
  }

  static std::string place(const std::vector<std::string>& where) {
    if (where.size() == 1) return where[0];
    if (where.size() == 2) return fmt::format("{} and {}", where[0], where[1]);
    return fmt::format("{} and {} more", where[0], where.size() - 1);
  }

 private:
  struct Statement {
    std::string text;
    std::vector<std::string> where;
  };
  std::vector<Statement> statements_;
};

std::string what_ran(const Resolution& resolution) {
  std::string text = resolution.backend;
  if (!resolution.backend_version.empty()) text += fmt::format(" ({})", resolution.backend_version);
  if (!resolution.engine.empty()) text += fmt::format(", engine {}", resolution.engine);
  text += ", O_DIRECT ";
  if (!resolution.direct_effective) {
    text += "unknown";
  } else {
    text += *resolution.direct_effective ? "yes" : "no";
  }
  if (!resolution.direct_reason.empty()) text += fmt::format(": {}", resolution.direct_reason);
  return text;
}

/// That the figures of a row are those of its best repeat; empty where they are not.
std::string score_text(const ResultRecord& record) {
  const Workload& w = record.job.workload;
  if (w.score != Score::max || w.repeat <= 1) return {};
  const std::size_t repeats = by_repeat(record, w.op, "bytes").size();
  if (repeats < 2) return {};
  return fmt::format("best of {}: all figures are those of the repeat with the most IOPS", repeats);
}

/// "slog on /mnt/pool (zfs) took 24.4s", as far as it is known.
std::string where_and_how_long(const Report& report) {
  std::string text = report.profile.name;
  if (!report.target.path.empty()) {
    text += fmt::format("{}{}", text.empty() ? "" : " on ", report.target.path);
    if (!report.target.filesystem.empty()) text += fmt::format(" ({})", report.target.filesystem);
  }
  if (report.elapsed_ns) {
    text += fmt::format("{}took {}", text.empty() ? "" : " ", human_duration(*report.elapsed_ns));
  }
  return display(text);
}

/// "4K sync T1 write: " of a finding about a job; empty for one about the whole run.
std::string place_of(const Report& report, const Finding& finding) {
  if (finding.job.empty()) return "";
  const auto is_it = [&finding](const Job& job) { return job.id == finding.job; };
  const auto& jobs = report.plan.jobs;
  const auto found = std::find_if(jobs.begin(), jobs.end(), is_it);
  if (found == jobs.end()) return finding.job;
  if (!finding.op) return name_of(*found);
  return fmt::format("{} {}", found->label, to_text(*finding.op));
}

}  // namespace

std::vector<FindingGroup> grouped_findings(const Report& report,
                                           const std::vector<const Finding*>& worst_first) {
  std::vector<FindingGroup> groups;
  for (const Finding* finding : worst_first) {
    const auto same = [finding](const FindingGroup& group) {
      const Finding& first = *group.findings.front();
      return first.severity == finding->severity && first.text == finding->text &&
             first.remedy == finding->remedy;
    };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) group = groups.insert(groups.end(), FindingGroup{});
    group->findings.push_back(finding);
    const std::string where = place_of(report, *finding);
    if (!where.empty()) group->where.push_back(where);
  }
  return groups;
}

std::vector<const Finding*> sorted_findings(const Report& report) {
  std::vector<const Finding*> sorted;
  sorted.reserve(report.findings.size());
  for (const Finding& finding : report.findings) sorted.push_back(&finding);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Finding* a, const Finding* b) {
    return static_cast<int>(a->severity) < static_cast<int>(b->severity);
  });
  return sorted;
}

std::vector<std::string> finding_lines(const Report& report,
                                       const std::vector<const Finding*>& worst_first) {
  std::vector<std::string> lines;
  const std::vector<FindingGroup> groups = grouped_findings(report, worst_first);
  for (const auto& [findings, where] : groups) {
    const Finding* finding = findings.front();
    if (lines.size() == kWholeFindings) {
      const std::size_t more = groups.size() - kWholeFindings;
      const bool notes = finding->severity == Severity::note;  // and so are all after it
      lines.push_back(
          fmt::format("+{} {}{}", more, notes ? "note" : "finding", more == 1 ? "" : "s"));
      break;
    }
    const std::string place = where.empty() ? "" : Statements::place(where) + ": ";
    const std::string_view space = finding->remedy.empty() ? "" : " ";
    lines.push_back(display(fmt::format("{}: {}{}{}{}", to_text(finding->severity), place,
                                        finding->text, space, finding->remedy)));
  }
  return lines;
}

std::string checked_line(const Report& report) {
  const auto any = [&report](auto known) {
    return std::any_of(
        report.records.begin(), report.records.end(),
        [&](const ResultRecord& record) { return record.status == Status::ok && known(record); });
  };
  if (!report.findings.empty() || !any([](const ResultRecord&) { return true; })) return {};
  const auto counted = [&](std::string_view counter) {
    return any([&](const ResultRecord& record) { return disk_total(record, counter).has_value(); });
  };
  const auto in_loops = [&](auto known) {
    return any([&](const ResultRecord& record) {
      return std::any_of(record.loops.begin(), record.loops.end(), known);
    });
  };
  const std::pair<const char*, bool> kinds[] = {
      {"RAM in place of the device", counted("read_bytes")},
      {"queue depth",
       any([](const ResultRecord& r) { return depth_reached(r, r.job.workload.op).has_value(); })},
      {"steadiness", in_loops([](const LoopResult& loop) {
         return (loop.read && !loop.read->samples.empty()) ||
                (loop.write && !loop.write->samples.empty());
       })},
      {"CPU time", in_loops([](const LoopResult& loop) { return loop.cpu.has_value(); })},
      {"power saving", fact_text(report.facts, "cpu.governor").has_value()},
      {"other load", counted("write_bytes")},
      {"durability", counted("flush_ios")},
  };
  std::vector<std::string_view> yes;
  std::vector<std::string_view> no;
  for (const auto& [name, known] : kinds) (known ? yes : no).emplace_back(name);
  if (yes.empty()) return {};  // nothing can be said for it
  std::string text = fmt::format("no findings; checked: {}", fmt::join(yes, ", "));
  if (!no.empty()) text += fmt::format("; not known here: {}", fmt::join(no, ", "));
  return text;
}

std::string layers_text(const std::vector<Layer>& layers) {
  std::string text;
  for (const Layer& layer : layers) {
    text +=
        fmt::format("{}{} {:.1f} us", text.empty() ? "" : ", ", layer.name, layer.mean_ns / 1e3);
  }
  return display(text);
}

std::vector<std::string> effect_lines(const Report& report) {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    if (finding.code == "measured-effect") lines.push_back(display(finding.text));
  }
  return lines;
}

std::vector<std::string> layer_lines(const Report& report) {
  std::vector<std::string> lines;
  for (const ResultRecord& record : report.records) {
    const std::string text = layers_text(record.verdict.layers);
    if (!text.empty()) lines.push_back(fmt::format("{}: {}", display(name_of(record.job)), text));
  }
  return lines;
}

std::vector<std::string> fact_lines(const Report& report) {
  Statements ran;
  Statements scores;
  Statements notes;
  std::size_t jobs = 0;
  for (const ResultRecord& record : report.records) {
    const Resolution& resolution = record.resolution;
    if (resolution.backend.empty() || record.status == Status::skipped) continue;
    ++jobs;
    const std::string name = name_of(record.job);
    ran.add(what_ran(resolution), name);
    if (const std::string score = score_text(record); !score.empty()) scores.add(score, name);
    if (!resolution.note.empty()) notes.add(resolution.note, name);
    for (const LoopResult& loop : record.loops) {
      for (const std::string& note : loop.notes) notes.add(note, name);
    }
  }
  std::vector<std::string> lines = ran.lines(jobs);
  for (std::string& line : scores.lines(jobs)) lines.push_back(std::move(line));
  for (std::string& line : notes.lines(jobs)) lines.push_back(std::move(line));
  if (!delta_columns(report).empty()) {
    lines.emplace_back("vs fio: (our IOPS / fio's - 1) in percent, ours from the row above");
  }
  if (std::string checked = checked_line(report); !checked.empty()) {
    lines.push_back(std::move(checked));
  }
  const std::string last = where_and_how_long(report);
  if (!last.empty()) lines.push_back(last);
  return lines;
}

}  // namespace sthd::table
