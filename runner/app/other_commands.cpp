#include <fmt/format.h>

#include <algorithm>

#include "runner/app/commands.hpp"
#include "runner/app/prepare.hpp"
#include "runner/app/with_session.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

std::string plan_rows(const Report& report, const Prepared& prepared) {
  std::string out;
  std::size_t width = 5;
  for (const auto& job : report.plan.jobs)
    width = std::max(width, display_width(display(job.label)));
  for (std::size_t i = 0; i < report.plan.jobs.size(); ++i) {
    const Job& job = report.plan.jobs[i];
    const Workload& w = job.workload;
    const auto& resolution = prepared.resolved[i].resolution;
    const std::string label = display(job.label);
    const std::string time = w.runtime_ns > 0
                                 ? human_duration(w.repeat * w.loops * (w.runtime_ns + w.ramp_ns))
                                 : "until done";
    const char* direct = !resolution.direct_effective   ? "direct, effect unknown"
                         : *resolution.direct_effective ? "direct"
                                                        : "buffered";
    const std::string how =
        resolution.backend.empty()
            ? "skipped: " + display(resolution.reason)
            : fmt::format("{} by {}; {}", resolution.engine, resolution.backend, direct);
    out += fmt::format("{}{:{}}  {:<5}  {:>10}  {}\n", label, "", width - display_width(label),
                       to_text(w.op), time, how);
    for (const auto& attempt : resolution.tried) {
      out += fmt::format("{:{}}  refused {}: {}\n", "", width, display(attempt.what),
                         display(attempt.refused));
    }
  }
  return out;
}

}  // namespace

int plan_command(const CommandInput& input) {
  auto report = load_report(input);
  if (!report) return kUsage;
  const std::vector<Job> jobs = candidate_jobs(input, *report);
  return with_session(input, jobs, report->run_id, [&](run::Session& session) {
    auto prepared = prepare_target(input, session, *report);
    int code = 0;
    if (!prepared) {
      code = refuse(input.terminal, prepared.error());
    } else {
      std::string text;
      for (const auto& line : banner(*report, *prepared)) text += line + "\n";
      code = finish(input.terminal, text + "\n" + plan_rows(*report, *prepared));
    }
    if (auto removed = session.remove(); !removed && prepared)
      input.terminal.error(removed.error().message);
    return code;
  });
}

int check_command(const CommandInput& input) {
  const auto report = load_report(input);
  if (!report) return kUsage;
  std::string text =
      fmt::format("{}: {} jobs\n", display(report->profile.name), report->plan.jobs.size());
  for (const auto& job : report->plan.jobs) {
    text += fmt::format("{}  {}\n", display(job.label), display(job.id));
  }
  return finish(input.terminal, text);
}

int list_command(const CommandInput& input) {
  std::string text = "Profiles:\n";
  for (const auto& profile : profile::list(profile_folders())) {
    text += fmt::format(
        "  {:<14} {}\n", display(profile.name),
        profile.fault.empty() ? display(profile.title) : "broken: " + display(profile.fault));
    if (input.options.verbose)
      text += fmt::format("  {:<14} {}\n", "", display(profile.path.string()));
  }
  text += "Backends:\n";
  for (const auto& entry : input.plugins.backends()) {
    text += fmt::format("  {:<14} {} [{}]\n", entry.name, display(entry.summary),
                        fmt::join(entry.info.engines, ", "));
    if (input.options.verbose) {
      text +=
          fmt::format("  {:<14} {} {}\n", "", display(entry.version), display(entry.file.string()));
    }
  }
  text += "Formatters:\n";
  for (const auto& entry : input.plugins.formatters()) {
    text += fmt::format("  {:<14} {}\n", entry.name, display(entry.summary));
    if (input.options.verbose) {
      text +=
          fmt::format("  {:<14} {} {}\n", "", display(entry.version), display(entry.file.string()));
    }
  }
  const auto& refusals = input.plugins.refusals();
  if (input.options.verbose) {
    for (const auto& refusal : refusals) text += "Refused: " + display(refusal.sentence) + "\n";
  } else if (!refusals.empty()) {
    text += fmt::format(
        "{} refused; `speedtest-hd list -v` says why\n",
        refusals.size() == 1 ? "1 plugin was" : fmt::format("{} plugins were", refusals.size()));
  }
  return finish(input.terminal, text);
}

int cleanup_command(const CommandInput& input) {
  const std::vector<Job> none;
  return with_session(input, none, "", [&](run::Session& session) {
    std::vector<std::string> found;
    run::Watcher watcher;
    watcher.raw = [&found](std::string_view line) {
      if (line.find("governor") != line.npos) found.emplace_back(line);  // the rest comes anew
    };
    auto target = session.inspect(input.options.target, watcher);
    if (!target) return refuse(input.terminal, target.error());
    auto lines = session.clean_up();
    if (!lines) return refuse(input.terminal, lines.error());
    lines->insert(lines->begin(), found.begin(), found.end());
    std::string text;
    bool left = false;
    for (const auto& line : *lines) {
      text += line + "\n";
      left = left || line.starts_with("left ");
    }
    if (lines->empty())
      text = fmt::format("nothing was left in {}\n", display(input.options.target));
    return finish(input.terminal, text, left ? kJobFailed : kMeasured);
  });
}

}  // namespace sthd::app
