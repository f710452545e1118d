#include "runner/app/rows.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "kit/process/fio_by_hand.hpp"
#include "runner/plan/cost.hpp"

namespace sthd::app {
namespace {

/// Ends a record that got no further; what its loops have measured so far stays.
void end(ResultRecord& record, Status status, const std::string& why) {
  record.status = status;
  record.reason = record.loops.empty() ? "not started: " + why : why;
}

}  // namespace

Rows::Rows(run::Session& session, Terminal& terminal, const Report& report,
           const Prepared& prepared)
    : session_(session),
      report_(report),
      prepared_(prepared),
      turns_(all_turns()),
      progress_(terminal, report.plan) {}

Rows::Turns Rows::all_turns() const {
  std::vector<bool> runs;
  runs.reserve(prepared_.resolved.size());
  for (const auto& resolved : prepared_.resolved) runs.push_back(resolved.runs());
  return plan::turns(report_.plan.jobs, runs);
}

/// What `turn` and those after it take where their times are known.
double Rows::seconds_from(Turns::const_iterator turn) const {
  std::uint64_t ns = 0;
  for (; turn != turns_.end(); ++turn) {
    const Workload& w = report_.plan.jobs[turn->job].workload;
    if (!prepared_.resolved[turn->job].runs()) continue;
    ns += turn->pause_ns + turn->loops * (w.ramp_ns + w.runtime_ns);
  }
  return static_cast<double>(ns) / 1e9;
}

Outcome<Done> Rows::begin() {
  const auto first = std::find_if(turns_.begin(), turns_.end(), [this](const plan::Turn& turn) {
    return prepared_.resolved[turn.job].runs();
  });
  return first == turns_.end() ? Done{} : ready_file(first);
}

void Rows::run(const OnRecord& on_record) {
  const auto& jobs = report_.plan.jobs;
  std::vector<Entry> entries(jobs.size());
  std::vector<std::size_t> left(jobs.size());  // turns
  for (const plan::Turn& turn : turns_) ++left[turn.job];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    entries[i].record.job = jobs[i];
    const Resolution& resolution = prepared_.resolved[i].resolution;
    entries[i].record.resolution = resolution;
    entries[i].record.fio_command =
        process::fio_by_hand(jobs[i], resolution, report_.target.resolved_path).command;
  }
  std::size_t next = 0;
  for (auto turn = turns_.cbegin(); turn != turns_.cend(); ++turn) {
    Entry& entry = entries[turn->job];
    --left[turn->job];
    if (entry.finished) continue;  // one of its loops failed
    run_loops(turn, entry);
    entry.finished = entry.record.status != Status::ok || left[turn->job] == 0;
    for (; next < entries.size() && entries[next].finished; ++next) {
      on_record(std::move(entries[next].record), entries[next].raw);
    }
  }
}

void Rows::run_loops(Turns::const_iterator turn, Entry& entry) {
  ResultRecord& record = entry.record;
  const auto& resolved = prepared_.resolved[turn->job];
  if (session_.interrupted()) return end(record, Status::interrupted, "the run was interrupted");
  if (session_.target_lost()) {
    const Status status = record.loops.empty() ? Status::skipped : Status::failed;
    return end(record, status, "the target stopped answering");
  }
  if (!resolved.runs()) {
    record.status = Status::skipped;
    record.reason = resolved.resolution.reason;
    return;
  }
  if (const auto ready = ready_file(turn); !ready) {
    if (session_.interrupted()) return end(record, Status::interrupted, "the run was interrupted");
    return end(record, Status::failed, "laying out the test file: " + ready.error().message);
  }
  pause_before(turn);
  if (session_.interrupted()) return end(record, Status::interrupted, "the run was interrupted");
  ResultRecord part = session_.run_job(record.job, resolved, {turn->first_loop, turn->loops},
                                       progress_.job(*turn, seconds_from(std::next(turn))));
  for (LoopResult& loop : part.loops) {
    loop.repeat = turn->repeat;
    record.loops.push_back(std::move(loop));
  }
  record.status = part.status;
  record.reason = part.reason;
  entry.raw += progress_.raw();
}

void Rows::pause_before(Turns::const_iterator turn) {
  if (turn->pause_ns == 0) return;
  const double pause = static_cast<double>(turn->pause_ns) / 1e9;
  session_.pause(turn->pause_ns, progress_.pause(*turn, seconds_from(turn) - pause));
}

Outcome<Done> Rows::ready_file(Turns::const_iterator turn) {
  if (report_.plan.jobs[turn->job].workload.layout == Layout::none) {
    laid_out_ = false;  // the job empties it
    return Done{};
  }
  if (laid_out_) return Done{};
  if (layout_error_) return *layout_error_;
  const std::uint64_t size = plan::layout_size(jobs_that_run(report_, prepared_));
  const std::uint32_t alignment = std::max(1U, report_.target.direct_offset_alignment);
  const auto& direct = prepared_.direct;
  const bool past_cache = direct.works && direct.real.value_or(false) && kMiB % alignment == 0;
  auto done = session_.lay_out(size, past_cache, progress_.layout(size, seconds_from(turn)));
  laid_out_ = done.ok();
  if (!done) layout_error_ = done.error();
  return done;
}

}  // namespace sthd::app
