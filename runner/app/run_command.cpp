#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "runner/analyze/analyze.hpp"
#include "runner/app/commands.hpp"
#include "runner/app/expectation_code.hpp"
#include "runner/app/explain.hpp"
#include "runner/app/kept_record.hpp"
#include "runner/app/outputs.hpp"
#include "runner/app/prepare.hpp"
#include "runner/app/rows.hpp"
#include "runner/app/run_hooks.hpp"
#include "runner/app/verbose.hpp"
#include "runner/run/clock.hpp"
#include "runner/run/interrupt.hpp"
#include "runner/run/scratch.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

/// Whether a row was skipped for want of its condition, before what it names was tried.
bool lacks_condition(const ResultRecord& record) {
  const Condition wanted = record.job.workload.condition;
  const auto& tried = record.resolution.tried;
  return wanted != Condition::as_is && !tried.empty() && tried.back().what == to_text(wanted);
}

/// One `run`, step by step.
class Run {
 public:
  Run(const CommandInput& input, const RunHooks& hooks)
      : input_(input), hooks_(hooks), terminal_(input.terminal), kept_(input.options) {}

  int execute() {
    const std::uint64_t started = run::monotonic_ns();
    auto loaded = load_report(input_);
    if (!loaded) return kUsage;
    report_ = std::move(*loaded);
    auto outputs = Outputs::open(input_.options, input_.plugins, terminal_);
    if (!outputs) {
      terminal_.error(outputs.error().message);
      return outputs.error().code == ErrorCode::refused ? kUsage : kReportLost;
    }
    if (!open_io_log()) return kReportLost;
    const int code = measure(*outputs, started);
    if (io_log_ >= 0) ::close(io_log_);
    return code;
  }

 private:
  bool open_io_log() {
    const auto& file = input_.options.io_log;
    if (file.empty()) return true;
    io_log_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (io_log_ < 0) terminal_.error(system_error("cannot write " + display(file), errno).message);
    return io_log_ >= 0;
  }

  int measure(Outputs& outputs, std::uint64_t started) {
    run::Interrupt interrupt;
    const std::vector<Job> jobs = candidate_jobs(input_, report_);
    const run::Scratch scratch;
    const run::Inherited inherited{jobs,    input_.plugins, report_.run_id,
                                   io_log_, scratch.path(), input_.options.sysroot};
    const auto keeper = run::fork_keeper(inherited);
    if (!keeper) {
      terminal_.error(keeper.error().message);
      return kJobFailed;
    }
    int refused = 0;
    {
      const auto& sysroot = input_.options.sysroot;
      run::Session session(*keeper, interrupt, sysroot == "/" ? "" : sysroot);
      if (input_.options.no_sampler) session.leave_out_sampler();
      refused = run_all(session, outputs);
    }
    if (began_ && hooks_.measured && !interrupt.raised()) hooks_.measured(report_, interrupt);
    interrupt.release();
    terminal_.wipe();
    if (interrupt.raised()) kill_signal_ = interrupt.signal();
    if (refused != 0 && !began_) return kill_signal_ > 0 ? kSignalBase + kill_signal_ : refused;
    report_.elapsed_ns = run::monotonic_ns() - started;
    analyze::judge(report_);
    kept_.finish(report_);
    outputs.finish(report_);
    if (input_.options.explain) terminal_.note(explain_report(outputs.shown(report_)));
    if (const auto sentence = kept_.sentence(); !sentence.empty()) terminal_.note(sentence);
    const int code = exit_code(outputs);
    return hooks_.written ? hooks_.written(report_, code) : code;
  }

  /// Everything that needs the target; an exit code when it was refused before the first row.
  int run_all(run::Session& session, Outputs& outputs) {
    auto prepared = prepare_target(input_, session, report_);
    if (!prepared) {
      const int code = refuse(terminal_, prepared.error());
      remove_file(session);
      return code;
    }
    for (const auto& line : banner(report_, *prepared)) terminal_.note(line);
    if (const auto stop = hooks_.ready ? hooks_.ready(report_, *prepared) : std::nullopt) {
      remove_file(session);
      return *stop;
    }
    Rows rows(session, terminal_, report_, *prepared);
    if (const auto ready = rows.begin(); !ready) {
      remove_file(session);
      return refuse(terminal_, ready.error()) == kSignalBase ? kSignalBase : kJobFailed;
    }
    began_ = true;
    kept_.begin(report_);
    outputs.begin(report_);
    rows.run([&](ResultRecord record, const std::string& raw) {
      report_.records.push_back(std::move(record));
      analyze::judge(report_);
      kept_.add(report_.records.back());
      terminal_.wipe();
      outputs.update(report_);
      if (input_.options.verbose) terminal_.note(verbose_text(report_.records.back(), raw));
    });
    remove_file(session);
    return 0;
  }

  void remove_file(run::Session& session) {
    const auto removed = session.remove();
    if (removed) return;
    left_behind_ = true;
    terminal_.error(
        fmt::format("the test file may still be there: {}; `speedtest-hd cleanup {}` removes it",
                    removed.error().message, display(input_.options.target)));
  }

  [[nodiscard]] int exit_code(const Outputs& outputs) {
    for (const auto& sentence : outputs.lost()) terminal_.error(sentence);
    if (kill_signal_ > 0) return kSignalBase + kill_signal_;
    if (!outputs.lost().empty()) return kReportLost;
    bool measured = false;
    bool incomplete = left_behind_;
    for (const auto& record : report_.records) {
      const Workload& w = record.job.workload;
      measured = measured || record.status == Status::ok;
      const bool insisted = w.engine_named || w.backend_named || w.direct == DirectMode::required;
      incomplete = incomplete || record.status == Status::failed ||
                   (record.status == Status::skipped && insisted && !lacks_condition(record));
    }
    const int expected = expectation_code(report_, input_.options.strict, terminal_);
    return measured && !incomplete ? expected : kJobFailed;
  }

  const CommandInput& input_;
  const RunHooks& hooks_;
  Terminal& terminal_;
  Report report_;
  KeptRecord kept_;
  int io_log_ = -1;
  int kill_signal_ = 0;
  bool began_ = false;
  bool left_behind_ = false;
};

}  // namespace

int run_with(const CommandInput& input, const RunHooks& hooks) {
  return Run(input, hooks).execute();
}

int say_below(const CommandInput& input, const std::string& text, int code) {
  const auto& outputs = input.options.outputs;
  const bool table = std::all_of(outputs.begin(), outputs.end(), [](const auto& output) {
    return !output.file.empty() || output.format == "ascii";
  });
  if (!table) {
    input.terminal.note(text);
  } else if (!input.terminal.output(text)) {
    input.terminal.error("the output could not be written to stdout");
    if (code < kSignalBase) return kReportLost;
  }
  return code;
}

int run_command(const CommandInput& input) { return run_with(input, {}); }

}  // namespace sthd::app
