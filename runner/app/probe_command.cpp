#include <fmt/format.h>

#include "runner/app/prepare.hpp"
#include "runner/app/probe_text.hpp"
#include "runner/app/report_file.hpp"
#include "runner/app/with_session.hpp"
#include "runner/host/environment.hpp"
#include "runner/host/facts.hpp"
#include "runner/record/record.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

/// A sentence when another form than text or JSON was asked for.
std::string format_fault(const Options& options) {
  for (const auto& output : options.outputs) {
    if (output.format == "json") continue;
    return fmt::format("probe prints text, or JSON with -f json; it has no format \"{}\"",
                       display(output.format));
  }
  return {};
}

int print(const CommandInput& input, const Facts& facts) {
  constexpr std::size_t kWidth = 100;
  bool on_stdout = input.options.outputs.empty();
  for (const auto& output : input.options.outputs) {
    on_stdout = on_stdout || output.file.empty();
    if (output.file.empty()) continue;
    if (const auto written = replace_file(output.file, record::to_json(facts)); !written) {
      input.terminal.error(written.error().message);
      return kReportLost;
    }
  }
  if (!on_stdout) return kMeasured;
  const auto& terminal = input.terminal.facts();
  const bool colour = terminal.colour && terminal.stdout_is_tty;
  return finish(input.terminal, input.options.outputs.empty() ? probe_text(facts, kWidth, colour)
                                                              : record::to_json(facts));
}

/// What the tiny direct I/Os showed, as facts beside those of the target.
void add_direct(const Outcome<plan::DirectFacts>& direct, Facts& facts) {
  const bool known = direct && direct->real.has_value();
  const std::string why = direct ? direct->reason : direct.error().message;
  Fact effective{"target.direct", {}, known ? "" : why};
  if (known) effective.value = std::string(*direct->real ? "yes" : "no");
  facts.push_back(std::move(effective));
  if (known) facts.push_back({"target.direct_reason", why, {}});
}

/// As plan does it: the keeper looks at the target and tries O_DIRECT on a file of 1 MiB. Where
/// that file cannot be made, the rest is shown all the same.
int probe_real(const CommandInput& input) {
  const std::vector<Job> none;
  return with_session(input, none, host::new_run_id(), [&](run::Session& session) {
    auto target = session.inspect(input.options.target, {});
    if (!target) return refuse(input.terminal, target.error());
    const auto created = session.create();
    const auto direct = created ? session.judge_direct(*target) : created.error();
    const auto removed = session.remove();
    if (session.interrupted()) return int{kSignalBase};
    if (created && !removed) input.terminal.error(removed.error().message);
    Facts facts = host::collect_facts(input.options.sysroot, *target);
    add_direct(direct, facts);
    return print(input, facts);
  });
}

}  // namespace

int probe_command(const CommandInput& input) {
  const Options& options = input.options;
  if (const auto fault = format_fault(options); !fault.empty()) {
    input.terminal.error(fault);
    return kUsage;
  }
  if (options.sysroot == "/") return probe_real(input);
  const auto target = host::target_below(options.sysroot, options.target);
  if (!target) {
    input.terminal.error(fmt::format("no mount of \"{}\" leads to \"{}\"; name a path below one",
                                     display(options.sysroot), display(options.target)));
    return kTargetRefused;
  }
  return print(input, host::collect_facts(options.sysroot, *target));
}

}  // namespace sthd::app
