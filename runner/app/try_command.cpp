#include <fmt/format.h>

#include "runner/app/doctor_text.hpp"
#include "runner/app/run_hooks.hpp"
#include "runner/host/facts.hpp"
#include "runner/profile/diagnostics.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

/// The conditions that can be tried: all but as-is, with which they are compared.
std::vector<std::string> conditions() {
  const auto& texts = kEnumTexts<Condition>;
  return {texts.begin() + 1, texts.end()};
}

/// The options of a `run` that measures as-is and the condition in turns.
Options as_run(const Options& options) {
  Options run = options;
  run.profile = "slog";
  auto& set = run.overrides.set;
  // What the command line says comes behind, and wins.
  const std::pair<std::string, std::string> defaults[] = {{"threads", "1"},  {"block_size", "4KiB"},
                                                          {"repeat", "5"},   {"size", "128MiB"},
                                                          {"runtime", "2s"}, {"ramp", "500ms"}};
  set.insert(set.begin(), std::begin(defaults), std::end(defaults));
  run.overrides.axis.emplace_back("condition", "as-is," + options.condition);
  return run;
}

/// Whether the governor is what it was before the run; the other conditions end with a process.
std::string restored(const CommandInput& input, const Report& report) {
  const auto before = fact_text(report.facts, "cpu.governor");
  const Facts now = host::collect_facts(input.options.sysroot, report.target);
  if (before == fact_text(now, "cpu.governor")) return "the machine is as it was before\n";
  return fmt::format("the governor was {} before and is {} now: set it back by hand\n",
                     display(before.value_or("unknown")),
                     display(fact_text(now, "cpu.governor").value_or("unknown")));
}

/// The exit code where the condition cannot be had: nothing is measured then.
std::optional<int> refused(Terminal& terminal, Condition condition, const Report& report,
                           const Prepared& prepared) {
  for (std::size_t i = 0; i < report.plan.jobs.size(); ++i) {
    if (report.plan.jobs[i].workload.condition != condition || prepared.resolved[i].runs()) {
      continue;
    }
    const std::string why = reason_alone(prepared.resolved[i].resolution.reason, condition);
    terminal.error(fmt::format("{} cannot be had here: {}", to_text(condition), display(why)));
    return kJobFailed;
  }
  return std::nullopt;
}

}  // namespace

int try_command(const CommandInput& input) {
  const std::string& name = input.options.condition;
  const auto condition = from_text<Condition>(name);
  if (!condition || *condition == Condition::as_is) {
    const std::string near = profile::did_you_mean(name, conditions());
    input.terminal.error(fmt::format(
        "no condition to try is called \"{}\"{}", display(name),
        near.empty() ? fmt::format("; there are {}", fmt::join(conditions(), ", ")) : "; " + near));
    return kUsage;
  }
  const Options options = as_run(input.options);
  const CommandInput run{options, input.argv, input.plugins, input.terminal};
  RunHooks hooks;
  hooks.ready = [&](const Report& report, const Prepared& prepared) {
    return refused(input.terminal, *condition, report, prepared);
  };
  hooks.written = [&](const Report& report, int code) {
    const std::string why = missing(report, *condition);
    if (why.empty()) {
      return say_below(input, try_text(report, *condition) + restored(input, report), code);
    }
    if (code != kMeasured) return code;
    input.terminal.error(fmt::format("{} has no figure: {}", name, display(why)));
    return int{kJobFailed};
  };
  return run_with(run, hooks);
}

}  // namespace sthd::app
