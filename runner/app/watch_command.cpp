#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <optional>

#include "runner/app/prepare.hpp"
#include "runner/app/report_file.hpp"
#include "runner/app/watch_text.hpp"
#include "runner/app/with_session.hpp"
#include "runner/host/counters.hpp"
#include "runner/host/environment.hpp"
#include "runner/host/facts.hpp"
#include "runner/host/pulse.hpp"
#include "runner/record/record.hpp"
#include "runner/run/clock.hpp"
#include "runner/run/sampler.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

constexpr std::uint64_t kTick = 100 * kMillisecond;

/// What the sampler said of each second, of all of them together.
class Cpus {
 public:
  void add(const Facts& second, double seconds) {
    if (last_.empty()) last_ = second;
    const auto mean = fact_number(second, "cpu.mhz_mean");
    if (mean) mean_.add(*mean, seconds);
    if (mean) least_ = std::min(least_.value_or(*mean), *fact_number(second, "cpu.mhz_min"));
    if (mean) most_ = std::max(most_.value_or(*mean), *fact_number(second, "cpu.mhz_max"));
    if (const auto deep = fact_number(second, "cpu.idle_deep_share_percent"))
      deep_.add(*deep, seconds);
  }
  /// Under the sampler's names, with its reasons for what is not known.
  [[nodiscard]] Facts facts() const {
    Facts facts = last_;
    for (Fact& fact : facts) {
      const auto put = [&](std::string_view name, std::optional<double> value) {
        if (fact.name == name && value) fact.value = *value;
      };
      put("cpu.mhz_mean", mean_.mean());
      put("cpu.mhz_min", least_);
      put("cpu.mhz_max", most_);
      put("cpu.idle_deep_share_percent", deep_.mean());
    }
    return facts;
  }

 private:
  struct Mean {
    double sum = 0;
    double weight = 0;
    void add(double value, double its_weight) {
      sum += value * its_weight;
      weight += its_weight;
    }
    [[nodiscard]] std::optional<double> mean() const {
      return weight > 0 ? std::optional(sum / weight) : std::nullopt;
    }
  };
  Facts last_;
  Mean mean_;
  Mean deep_;
  std::optional<double> least_;
  std::optional<double> most_;
};

/// Looks at the counters until the time is over or a signal comes.
class Watch {
 public:
  Watch(const CommandInput& input, const Target& target, const Facts& facts)
      : terminal_(input.terminal),
        facts_(facts),
        counters_(sysroot_of(input), target, host::disk_names(facts)),
        pulse_(sysroot_of(input), host::disk_names(facts)),
        sampler_(sysroot_of(input)) {}

  /// The counters of the whole time.
  Facts run(run::Interrupt& interrupt, std::uint64_t time_ns) {
    const host::Snapshot begin = counters_.read();
    host::Snapshot last = begin;
    std::uint64_t now = begin.monotonic_ns;
    const std::uint64_t end = now + time_ns;
    sampler_.begin(now);
    pulse_.tick(now);
    for (std::uint64_t next = now + kTick; now < end && !interrupt.raised(); next += kTick) {
      wait(interrupt, std::min(next, end));
      now = run::monotonic_ns();
      pulse_.tick(now);
      sampler_.tick(now);
      if (now < last.monotonic_ns + kSecond && now < end && !interrupt.raised()) continue;
      last = second(last);
      next = std::max(next, now);
    }
    Facts whole = host::difference(begin, last);
    for (const Facts& more : {cpus_.facts(), pulse_.facts()}) {
      whole.insert(whole.end(), more.begin(), more.end());
    }
    return whole;
  }

 private:
  static std::string sysroot_of(const CommandInput& input) {
    return input.options.sysroot == "/" ? "" : input.options.sysroot;
  }

  static void wait(run::Interrupt& interrupt, std::uint64_t until_ns) {
    const std::uint64_t now = run::monotonic_ns();
    const std::uint64_t left = until_ns > now ? until_ns - now : 0;
    pollfd one{interrupt.fd(), POLLIN, 0};
    ::poll(&one, 1, static_cast<int>((left + kMillisecond - 1) / kMillisecond));
    if (one.revents != 0) interrupt.drain();
  }

  host::Snapshot second(const host::Snapshot& before) {
    host::Snapshot now = counters_.read();
    Facts seen = host::difference(before, now);
    const Facts cpu = sampler_.end(now.monotonic_ns);
    sampler_.begin(now.monotonic_ns);
    cpus_.add(cpu, fact_number(seen, "window_ns").value_or(0) / 1e9);
    seen.insert(seen.end(), cpu.begin(), cpu.end());
    terminal_.live(watch_line(facts_, seen));
    return now;
  }

  Terminal& terminal_;
  const Facts& facts_;
  host::Counters counters_;
  host::Pulse pulse_;
  run::Sampler sampler_;
  Cpus cpus_;
};

/// A sentence when another form than text or JSON was asked for.
std::string format_fault(const Options& options) {
  for (const auto& output : options.outputs) {
    if (output.format == "json") continue;
    return fmt::format("watch prints text, or JSON with -f json; it has no format \"{}\"",
                       display(output.format));
  }
  return {};
}

/// What is known of host and target, and the counters: a name occurs once.
Facts together(const Facts& facts, const Facts& window) {
  Facts all = window;
  for (const Fact& fact : facts) {
    if (find_fact(window, fact.name) == nullptr) all.push_back(fact);
  }
  return all;
}

int print(const CommandInput& input, const Facts& facts, const Facts& window) {
  bool on_stdout = input.options.outputs.empty();
  for (const auto& output : input.options.outputs) {
    on_stdout = on_stdout || output.file.empty();
    if (output.file.empty()) continue;
    const auto written = replace_file(output.file, record::to_json(together(facts, window)));
    if (written) continue;
    input.terminal.error(written.error().message);
    return kReportLost;
  }
  if (!on_stdout) return kMeasured;
  return finish(input.terminal, input.options.outputs.empty()
                                    ? watch_text(facts, window)
                                    : record::to_json(together(facts, window)));
}

int watch(const CommandInput& input, const Target& target) {
  const Facts facts = host::collect_facts(input.options.sysroot, target);
  run::Interrupt interrupt;
  const Facts window = Watch(input, target, facts).run(interrupt, input.options.time_ns);
  const int code = print(input, facts, window);
  return interrupt.raised() ? kSignalBase + interrupt.signal() : code;
}

/// The keeper looks at the target, so that a dead mount cannot hang the program; nothing is held
/// while the counters are watched.
int watch_real(const CommandInput& input) {
  const std::vector<Job> none;
  Target target;
  const int code = with_session(input, none, host::new_run_id(), [&](run::Session& session) {
    auto found = session.look(input.options.target);
    if (!found) return refuse(input.terminal, found.error());
    target = *found;
    return int{kMeasured};
  });
  return code == kMeasured ? watch(input, target) : code;
}

}  // namespace

int watch_command(const CommandInput& input) {
  const Options& options = input.options;
  if (const auto fault = format_fault(options); !fault.empty()) {
    input.terminal.error(fault);
    return kUsage;
  }
  for (const auto& output : options.outputs) {
    if (output.file.empty()) continue;
    if (const auto good = check_file(output.file); !good) {
      input.terminal.error(good.error().message);
      return kReportLost;
    }
  }
  if (options.sysroot == "/") return watch_real(input);
  const auto target = host::target_below(options.sysroot, options.target);
  if (target) return watch(input, *target);
  input.terminal.error(fmt::format("no mount of \"{}\" leads to \"{}\"; name a path below one",
                                   display(options.sysroot), display(options.target)));
  return kTargetRefused;
}

}  // namespace sthd::app
