#include "runner/app/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "runner/host/counters.hpp"
#include "runner/host/environment.hpp"
#include "runner/host/facts.hpp"
#include "runner/plan/cost.hpp"
#include "runner/plan/cross_check.hpp"
#include "runner/record/record.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

/// Prints the faults of a profile; the value when there are none.
template <class T>
std::optional<T> checked(Terminal& terminal, profile::Checked<T> result) {
  if (auto* faults = std::get_if<profile::Diagnostics>(&result)) {
    for (const auto& fault : *faults) {
      std::string text = profile::render({fault});
      if (fault.line > 0) {
        terminal.faults(text);
      } else {
        while (text.ends_with('\n')) text.pop_back();
        terminal.error(text);
      }
    }
    return std::nullopt;
  }
  return std::move(std::get<T>(result));
}

std::string yes_or_no(const std::optional<bool>& value) {
  return value ? (*value ? "yes" : "no") : "unknown";
}

/// Lines about the jobs, one for each distinct text, with how many jobs share it.
class Grouped {
 public:
  void add(const std::string& text, const std::string& label) {
    for (auto& [known, labels] : groups_) {
      if (known == text) {
        if (labels.back() != label) labels.push_back(label);
        return;
      }
    }
    groups_.push_back({text, {label}});
  }
  void print(std::string_view title, std::vector<std::string>& out) const {
    for (const auto& [text, labels] : groups_) {
      const std::string whom =
          groups_.size() == 1 ? "" : fmt::format(" [{}]", display(shortened(labels)));
      out.push_back(fmt::format("{:<9} {}{}", title, text, whom));
      title = "";
    }
  }

 private:
  static std::string shortened(const std::vector<std::string>& labels) {
    if (labels.size() <= 2) return fmt::format("{}", fmt::join(labels, ", "));
    return fmt::format("{}, {} and {} more", labels[0], labels[1], labels.size() - 2);
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> groups_;
};

std::string engine_text(const Resolution& resolution) {
  if (resolution.backend.empty()) return "none: " + display(resolution.reason);
  std::string text = fmt::format("{} by {}", resolution.engine, resolution.backend);
  if (!resolution.backend_version.empty())
    text += fmt::format(" ({})", display(resolution.backend_version));
  if (!resolution.note.empty()) text += "; " + display(resolution.note);
  return text;
}

std::string target_text(const Target& target) {
  std::string text = display(target.path);
  if (!target.filesystem.empty()) text += fmt::format(" ({}", display(target.filesystem));
  if (!target.source.empty() && !target.filesystem.empty()) text += " on " + display(target.source);
  if (!target.filesystem.empty()) text += ")";
  if (target.available_bytes) text += fmt::format(", {} free", human_size(*target.available_bytes));
  return text;
}

/// Sync writes with O_DIRECT on ZFS: whoever asks for them wants the log, and would not measure it.
bool bypasses_log(const Report& report, const Prepared& prepared) {
  if (report.target.filesystem != "zfs") return false;
  for (std::size_t i = 0; i < prepared.resolved.size(); ++i) {
    const Workload& w = report.plan.jobs[i].workload;
    if (prepared.resolved[i].use_direct && w.op == Op::write && w.sync != SyncMode::none)
      return true;
  }
  return false;
}

std::string time_text(const PlanInfo& plan, std::size_t layouts) {
  std::string text = "until each job has done its bytes";
  if (plan.estimated_seconds) {
    const auto ns = static_cast<std::uint64_t>(*plan.estimated_seconds * 1e9);
    const bool pauses = std::any_of(plan.jobs.begin(), plan.jobs.end(),
                                    [](const Job& job) { return job.workload.interval_ns > 0; });
    text = fmt::format("about {} of measuring{}", human_duration(ns), pauses ? " and pauses" : "");
  }
  if (layouts == 1) text += ", plus the layout of the test file";
  if (layouts > 1) text += fmt::format(", plus {} layouts of the test file", layouts);
  return text;
}

std::string space_text(const PlanInfo& plan, std::size_t layouts) {
  const std::string file = human_size(plan.space_bytes.value_or(0));
  std::string text = layouts > 0 ? fmt::format("{} test file, removed afterwards; ", file)
                                 : fmt::format("at most {}, removed afterwards; ", file);
  if (plan.written_bytes) return text + human_size(*plan.written_bytes) + " written in all";
  if (layouts == 1) text += "written once, then ";
  if (layouts > 1) text += fmt::format("laid out {} times, and ", layouts);
  return text + "as much as the timed writes can";
}

bool is_native(const CommandInput& input, const std::string& backend) {
  const auto* entry = input.plugins.backend(backend);
  return entry != nullptr && entry->info.native;
}

/// Also the layout goes past the cache where it can.
bool asks_for_direct(const std::vector<Job>& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const Job& job) {
    return job.workload.direct != DirectMode::off || job.workload.layout == Layout::full;
  });
}

/// Finds an engine for each job of the plan, and puts its twin behind it where one is wanted.
void resolve_all(const CommandInput& input, run::Session& session, Report& report,
                 Prepared& prepared) {
  plan::Resolver resolver(input.plugins.backends(), report.target, prepared.direct, session);
  const std::vector<Job> candidates = candidate_jobs(input, report);
  const std::size_t own = report.plan.jobs.size();
  std::vector<Job> planned;
  for (std::size_t i = 0; i < own && !session.interrupted(); ++i) {
    plan::Resolved found = resolver.resolve(i, candidates[i]);
    const Resolution& how = prepared.resolved.emplace_back(std::move(found)).resolution;
    planned.push_back(candidates[i]);
    if (!input.options.cross_check || !is_native(input, how.backend)) continue;
    planned.push_back(plan::twin_with(candidates[own + i], how.engine));
    prepared.resolved.push_back(resolver.resolve(own + i, planned.back()));
  }
  if (input.options.cross_check && planned.size() == own) {
    input.terminal.note("warning: --cross-check compares rows of built-in engines, and none runs");
  }
  report.plan.jobs = std::move(planned);
}

}  // namespace

std::optional<Report> load_report(const CommandInput& input) {
  auto profile = checked(input.terminal, profile::load(input.options.profile, profile_folders()));
  if (!profile) return std::nullopt;
  auto asked = checked(input.terminal, profile::expand_all(*profile, input.options.overrides));
  if (!asked) return std::nullopt;
  Report report;
  report.tool.version = STHD_VERSION;
  report.tool.build = STHD_BUILD_NAME;
  report.run_id = host::new_run_id();
  report.started_utc = host::utc_now();
  report.argv = input.argv;
  report.profile = profile->info();
  for (auto& file : report.profile.files) file.sha256 = record::sha256(file.text);
  for (const auto& [key, value] : input.options.overrides.set) {
    report.profile.overrides.push_back(fmt::format("{}={}", key, value));
  }
  for (const auto& [key, values] : input.options.overrides.axis) {
    report.profile.overrides.push_back(fmt::format("axis={}={}", key, values));
  }
  for (const auto& glob : input.options.overrides.only)
    report.profile.overrides.push_back("only=" + glob);
  if (input.options.cross_check) report.profile.overrides.emplace_back("cross-check");
  report.profile.expanded_sha256 = record::sha256(record::canonical_jobs(asked->jobs));
  report.columns = profile->columns();
  report.expectations = std::move(asked->expectations);
  report.environment = host::environment();
  report.plan = plan::cost(std::move(asked->jobs));
  return report;
}

std::vector<Job> candidate_jobs(const CommandInput& input, const Report& report) {
  std::vector<Job> jobs = report.plan.jobs;
  if (!input.options.cross_check) return jobs;
  for (Job& twin : plan::twins_of(report.plan.jobs)) jobs.push_back(std::move(twin));
  return jobs;
}

int refuse(Terminal& terminal, const Error& error) {
  if (error.code == ErrorCode::cancelled) return kSignalBase;
  terminal.error(error.message);
  if (error.system_errno == EWOULDBLOCK) return kTargetHeld;
  return error.code == ErrorCode::refused ? kTargetRefused : kJobFailed;
}

Outcome<Prepared> prepare_target(const CommandInput& input, run::Session& session, Report& report) {
  run::Watcher watcher;
  watcher.raw = [&](std::string_view text) {
    const bool ours = !text.starts_with("left ") && !text.starts_with("restored ");
    input.terminal.note(ours ? fmt::format("note: {}; `speedtest-hd cleanup {}` removes it", text,
                                           display(input.options.target))
                             : fmt::format("note: {}", text));
  };
  auto target = session.inspect(input.options.target, watcher);
  if (!target) return target.error();
  report.target = *target;
  if (auto fits = plan::check_space(report.target, report.plan.space_bytes.value_or(0)); !fits) {
    return fits.error();
  }
  if (auto created = session.create(); !created) return created.error();
  Prepared prepared;
  if (asks_for_direct(report.plan.jobs)) {
    auto direct = session.judge_direct(report.target);
    if (!direct) return direct.error();
    prepared.direct = *direct;
  }
  report.facts = host::collect_facts(input.options.sysroot, report.target);
  if (input.options.sysroot == "/") session.count_disks(host::disk_names(report.facts));
  resolve_all(input, session, report, prepared);
  if (session.interrupted()) return Error{ErrorCode::cancelled, "interrupted", 0};
  const std::vector<Job> running = jobs_that_run(report, prepared);
  if (running.empty()) return prepared;
  std::vector<Job> planned = std::move(report.plan.jobs);
  report.plan = plan::cost(running);
  report.plan.jobs = std::move(planned);
  return prepared;
}

std::vector<Job> jobs_that_run(const Report& report, const Prepared& prepared) {
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < prepared.resolved.size(); ++i) {
    if (prepared.resolved[i].runs()) jobs.push_back(report.plan.jobs[i]);
  }
  return jobs;
}

std::vector<std::string> banner(const Report& report, const Prepared& prepared) {
  std::vector<std::string> lines;
  const auto& files = report.profile.files;
  lines.push_back(fmt::format("speedtest-hd {}: {} ({})", report.tool.version,
                              display(report.profile.name),
                              files.empty() ? "" : display(files.front().path)));
  lines.push_back(fmt::format("{:<9} {}", "target", target_text(report.target)));
  Grouped engines;
  Grouped refusals;
  Grouped directs;
  for (std::size_t i = 0; i < prepared.resolved.size(); ++i) {
    const auto& resolution = prepared.resolved[i].resolution;
    const auto& label = report.plan.jobs[i].label;
    engines.add(engine_text(resolution), label);
    if (resolution.direct_effective || !resolution.direct_reason.empty()) {
      directs.add(fmt::format("{}: {}", yes_or_no(resolution.direct_effective),
                              display(resolution.direct_reason)),
                  label);
    }
    for (const auto& attempt : resolution.tried) {
      refusals.add(fmt::format("{}: {}", display(attempt.what), display(attempt.refused)), label);
    }
  }
  engines.print("engine", lines);
  refusals.print("refused", lines);
  directs.print("O_DIRECT", lines);
  if (bypasses_log(report, prepared)) {
    lines.emplace_back(
        "warning   OpenZFS 2.3 sends O_DIRECT sync writes past the log device: to measure the log, "
        "leave "
        "O_DIRECT out (--buffered)");
  }
  const std::vector<Job> running = jobs_that_run(report, prepared);
  if (running.empty()) return lines;
  const std::size_t layouts = plan::layouts(running);
  lines.push_back(fmt::format("{:<9} {}", "space", space_text(report.plan, layouts)));
  lines.push_back(fmt::format("{:<9} {}", "time", time_text(report.plan, layouts)));
  return lines;
}

}  // namespace sthd::app
