#include "runner/app/rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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
    : session_(session), report_(report), prepared_(prepared), progress_(terminal, report.plan) {}

Outcome<Done> Rows::begin() {
  const auto& resolved = prepared_.resolved;
  const auto first = std::find_if(resolved.begin(), resolved.end(),
                                  [](const plan::Resolved& one) { return one.runs(); });
  if (first == resolved.end()) return Done{};
  return ready_file(static_cast<std::size_t>(first - resolved.begin()));
}

void Rows::run(const OnRecord& on_record) {
  const auto& jobs = report_.plan.jobs;
  std::vector<bool> runs;
  std::vector<Entry> entries(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& resolved = prepared_.resolved[i];
    runs.push_back(resolved.runs());
    entries[i].record.job = jobs[i];
    entries[i].record.resolution = resolved.resolution;
  }
  std::size_t next = 0;
  for (const plan::Turn& turn : plan::turns(jobs, runs)) {
    Entry& entry = entries[turn.job];
    if (entry.finished) continue;  // one of its loops failed
    run_loops(turn, entry);
    entry.finished = entry.record.status != Status::ok ||
                     turn.first_loop + turn.loops >= entry.record.job.workload.loops;
    for (; next < entries.size() && entries[next].finished; ++next) {
      on_record(std::move(entries[next].record), entries[next].raw);
    }
  }
}

void Rows::run_loops(const plan::Turn& turn, Entry& entry) {
  ResultRecord& record = entry.record;
  const auto& resolved = prepared_.resolved[turn.job];
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
  if (const auto ready = ready_file(turn.job); !ready) {
    if (session_.interrupted()) return end(record, Status::interrupted, "the run was interrupted");
    return end(record, Status::failed, "laying out the test file: " + ready.error().message);
  }
  ResultRecord part = session_.run_job(record.job, resolved, {turn.first_loop, turn.loops},
                                       progress_.job(turn.job));
  for (LoopResult& loop : part.loops) record.loops.push_back(std::move(loop));
  record.status = part.status;
  record.reason = part.reason;
  entry.raw += progress_.raw();
}

Outcome<Done> Rows::ready_file(std::size_t index) {
  if (report_.plan.jobs[index].workload.layout == Layout::none) {
    laid_out_ = false;  // the job empties it
    return Done{};
  }
  if (laid_out_) return Done{};
  if (layout_error_) return *layout_error_;
  const std::uint64_t size = plan::layout_size(jobs_that_run(report_, prepared_));
  const std::uint32_t alignment = std::max(1U, report_.target.direct_offset_alignment);
  const auto& direct = prepared_.direct;
  const bool past_cache = direct.works && direct.real.value_or(false) && kMiB % alignment == 0;
  auto done = session_.lay_out(size, past_cache, progress_.layout(size, index));
  laid_out_ = done.ok();
  if (!done) layout_error_ = done.error();
  return done;
}

}  // namespace sthd::app
