#include "runner/app/floor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "runner/analyze/measured.hpp"
#include "runner/app/prepare.hpp"
#include "runner/app/rows.hpp"
#include "runner/host/environment.hpp"
#include "runner/plan/cost.hpp"
#include "runner/run/scratch.hpp"
#include "sthd/metrics.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

constexpr std::uint64_t kMostSize = 64 * kMiB;  // RAM that is held for it

Facts unknown(std::string reason) { return {{"floor.mean_ns", {}, std::move(reason)}}; }

bool is_ram(const std::string& filesystem) {
  return filesystem == "tmpfs" || filesystem == "ramfs";
}

/// The row whose latency is to be split: single writes, nothing done to the host.
const ResultRecord* row_of(const Report& report) {
  const auto found =
      std::find_if(report.records.begin(), report.records.end(), [](const ResultRecord& record) {
        const Workload& w = record.job.workload;
        return record.status == Status::ok && w.op == Op::write && analyze::one_at_a_time(record) &&
               w.condition == Condition::as_is;
      });
  return found == report.records.end() ? nullptr : &*found;
}

std::vector<std::string> folders() {
  std::vector<std::string> found{"/dev/shm"};
  const char* own = std::getenv("XDG_RUNTIME_DIR");  // NOLINT(concurrency-mt-unsafe): one thread
  if (own != nullptr && own[0] == '/') found.emplace_back(own);
  return found;
}

Job floor_job(const ResultRecord& row) {
  Job job = row.job;
  job.id = "floor";
  job.template_id = "floor";
  job.label = "floor (tmpfs)";
  Workload& w = job.workload;
  w.size = std::max(std::min(w.size, kMostSize), w.block_size);
  w.cache = CacheMode::as_is;  // it is RAM
  w.direct = DirectMode::off;
  w.loops = 1;
  w.repeat = 1;
  w.engines = {row.resolution.engine};
  w.backends = {row.resolution.backend};
  return job;
}

/// One candidate: its facts, or why there are none.
Outcome<Facts> floor_on(const CommandInput& input, const std::string& folder, const Job& job,
                        run::Interrupt& interrupt) {
  Options options = input.options;
  options.target = folder;
  options.cross_check = false;
  const CommandInput there{options, input.argv, input.plugins, input.terminal};
  Report report;
  report.run_id = host::new_run_id();
  report.plan = plan::cost({job});
  const std::vector<Job> jobs{job};
  const run::Scratch scratch;
  const run::Inherited inherited{jobs, input.plugins, report.run_id, -1, scratch.path()};
  const auto keeper = run::fork_keeper(inherited);
  if (!keeper) return keeper.error();
  run::Session session(*keeper, interrupt);
  auto prepared = prepare_target(there, session, report);
  if (!prepared) return prepared.error();
  if (!is_ram(report.target.filesystem)) {
    return Error{ErrorCode::unavailable, fmt::format("{} is no tmpfs", display(folder)), 0};
  }
  Rows rows(session, input.terminal, report, *prepared);
  if (const auto ready = rows.begin(); !ready) return ready.error();
  ResultRecord record;
  rows.run([&](ResultRecord done, const std::string&) { record = std::move(done); });
  input.terminal.wipe();
  if (const auto removed = session.remove(); !removed) return removed.error();
  const auto mean = analyze::application_mean_ns(record, Op::write);
  if (record.status != Status::ok || !mean) {
    return Error{ErrorCode::failed, record.reason.value_or("no latency was measured"), 0};
  }
  Facts facts{{"floor.path", folder, {}},
              {"floor.filesystem", report.target.filesystem, {}},
              {"floor.block_size_bytes", static_cast<double>(job.workload.block_size), {}},
              {"floor.sync", std::string(to_text(job.workload.sync)), {}},
              {"floor.mean_ns", *mean, {}}};
  if (const auto ios = metric(record, Op::write, "iops")) {
    facts.push_back({"floor.iops", ios->value, {}});
  }
  return facts;
}

}  // namespace

Facts measure_floor(const CommandInput& input, const Report& report, run::Interrupt& interrupt) {
  const ResultRecord* row = row_of(report);
  if (row == nullptr) return unknown("no row of single writes was measured");
  if (is_ram(report.target.filesystem)) return unknown("the target is RAM itself");
  const Job job = floor_job(*row);
  std::string reasons;
  for (const std::string& folder : folders()) {
    const auto facts = floor_on(input, folder, job, interrupt);
    if (facts) return *facts;
    if (interrupt.raised()) return unknown("the run was interrupted");
    reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", facts.error().message);
  }
  return unknown("no tmpfs can be used: " + reasons);
}

}  // namespace sthd::app
