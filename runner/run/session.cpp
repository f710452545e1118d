#include "runner/run/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "runner/run/clock.hpp"
#include "sthd/text.hpp"

namespace sthd::run {
namespace {

constexpr std::uint64_t kPatienceWithFacts = 10 * kSecond;
constexpr std::uint64_t kPatienceWithProbe = 20 * kSecond;
constexpr std::uint64_t kPatienceWithRemoval = 60 * kSecond;
constexpr std::uint64_t kPatienceWithIo = 60 * kSecond;
/// A device slower than this is taken for dead while the cache is written back.
constexpr std::uint64_t kSlowestWriteback = 1'000'000;  // bytes a second

/// This many bytes may take this long without a sign of life, at most as long as a job may last.
std::uint64_t patience_with(std::uint64_t bytes) {
  return kPatienceWithIo + std::min(bytes / kSlowestWriteback, kMaxDuration / kSecond) * kSecond;
}

/// What the job may have to wait for before anything is seen of it: the I/Os in flight, and a sync
/// of everything buffered.
std::uint64_t silent_bytes(const Workload& w, bool direct) {
  std::uint64_t in_flight = std::uint64_t{w.queue_depth} * w.threads;
  if (__builtin_mul_overflow(in_flight, w.block_size, &in_flight)) return kMaxBytes;
  const bool buffers = !direct || w.cache == CacheMode::warm;
  return std::min(in_flight, kMaxBytes) + (buffers ? w.size : 0);
}

void ignore(const record::Line&) {}

}  // namespace

Outcome<Done> Session::simple(const Request& request, Patience patience,
                              const Client::OnLine& on_line) {
  const Answer answer = client_.call(request, patience, on_line);
  if (answer.hung || answer.keeper_lost) target_lost_ = true;
  if (answer.interrupted) return Error{ErrorCode::cancelled, "interrupted", 0};
  if (answer.error) return *answer.error;
  return Done{};
}

Outcome<Target> Session::inspect(const std::string& path, const Watcher& watcher) {
  return find(Ask::inspect, path, watcher);
}

Outcome<Target> Session::look(const std::string& path) { return find(Ask::look, path, {}); }

Outcome<Target> Session::find(Ask how, const std::string& path, const Watcher& watcher) {
  if (path.size() >= PATH_MAX) {
    return system_error(fmt::format("\"{}…\" cannot be opened", display(path.substr(0, 60))),
                        ENAMETOOLONG, ErrorCode::refused);
  }
  Target target;
  auto done = simple({.ask = how, .path = path}, {.quiet_ns = kPatienceWithFacts},
                     [&](const record::Line& line) {
                       if (const auto* found = std::get_if<record::TargetLine>(&line))
                         target = found->target;
                       if (const auto* raw = std::get_if<record::RawLine>(&line))
                         watcher.raw(raw->text);
                     });
  if (!done) return done.error();
  return target;
}

Outcome<Done> Session::create() {
  created_ = true;  // to the end: killed between creating and marking the file, it would leave one
                    // without our mark
  return simple({.ask = Ask::create}, {.quiet_ns = kPatienceWithProbe, .to_the_end = true}, ignore);
}

Outcome<plan::DirectFacts> Session::judge_direct(Target& target) {
  plan::DirectFacts facts;
  auto done =
      simple({.ask = Ask::direct}, {.quiet_ns = kPatienceWithProbe}, [&](const record::Line& line) {
        if (const auto* found = std::get_if<record::TargetLine>(&line)) target = found->target;
        if (const auto* direct = std::get_if<record::DirectLine>(&line)) {
          facts = {direct->works, direct->real, direct->reason};
        }
      });
  if (!done) return done.error();
  return facts;
}

Outcome<Capability> Session::probe(std::size_t job, const std::string& backend,
                                   const std::string& engine, bool named, bool direct) {
  if (target_lost_ || interrupted()) return Error{ErrorCode::cancelled, "not tried any more", 0};
  std::optional<Capability> capability;
  auto done = simple({.ask = Ask::probe,
                      .job = job,
                      .backend = backend,
                      .engine = engine,
                      .named = named,
                      .direct = direct},
                     {.quiet_ns = kPatienceWithProbe}, [&](const record::Line& line) {
                       if (const auto* found = std::get_if<record::CapabilityLine>(&line)) {
                         capability = found->capability;
                       }
                     });
  if (!done) return done.error();
  if (!capability) return Error{ErrorCode::failed, "the probe gave no answer", 0};
  return *capability;
}

Outcome<Done> Session::condition(std::size_t job) {
  if (interrupted()) return Error{ErrorCode::cancelled, "not tried any more", 0};
  return simple({.ask = Ask::condition, .job = job}, {.quiet_ns = kPatienceWithProbe}, ignore);
}

Outcome<Done> Session::lay_out(std::uint64_t size, bool direct, const Watcher& watcher) {
  return simple({.ask = Ask::layout, .direct = direct, .size = size},
                {.quiet_ns = patience_with(direct ? 0 : size)}, [&](const record::Line& line) {
                  if (const auto* moved = std::get_if<record::ProgressLine>(&line)) {
                    watcher.progress(moved->progress);
                  }
                });
}

void Session::pause(std::uint64_t ns, const std::function<void(std::uint64_t)>& left) {
  const std::uint64_t until = monotonic_ns() + ns;
  client_.wait(ns, [&] {
    const std::uint64_t now = monotonic_ns();
    left(until - std::min(now, until));
  });
}

ResultRecord Session::run_job(const Job& job, const plan::Resolved& resolved, Loops loops,
                              const Watcher& watcher) {
  const Workload& w = job.workload;
  ResultRecord record{.job = job, .resolution = resolved.resolution};
  const auto& resolution = resolved.resolution;
  const Request request{.ask = Ask::job,
                        .job = resolved.index,
                        .backend = resolution.backend,
                        .engine = resolution.engine,
                        .direct = resolved.use_direct,
                        .direct_effective = resolution.direct_effective,
                        .queue_depth = resolution.queue_depth_effective,
                        .workers = resolution.workers,
                        .first_loop = loops.first,
                        .loops = loops.count,
                        .disks = disks_};
  const bool direct = resolution.direct_effective.value_or(false);
  const Patience patience{.expected_ns = loops.count * (w.ramp_ns + w.runtime_ns),
                          .quiet_ns = patience_with(silent_bytes(w, direct))};
  std::vector<Sample> reads;  // of the loop whose line is still to come
  std::vector<Sample> writes;
  const auto on_line = [&](const record::Line& line) {
    if (const auto* phase = std::get_if<record::PhaseLine>(&line)) {
      if (phase->phase == Phase::measure && samples_) sampler_.begin(monotonic_ns());
      watcher.phase(phase->phase, phase->loop);
    }
    if (const auto* moved = std::get_if<record::ProgressLine>(&line))
      watcher.progress(moved->progress);
    if (const auto* raw = std::get_if<record::RawLine>(&line)) watcher.raw(raw->text);
    if (const auto* more = std::get_if<record::SamplesLine>(&line)) {
      auto& all = more->op == Op::read ? reads : writes;
      all.insert(all.end(), more->samples.begin(), more->samples.end());
    }
    if (const auto* found = std::get_if<record::LoopLine>(&line)) {
      LoopResult& loop = record.loops.emplace_back(found->loop);
      if (loop.read) loop.read->samples = std::exchange(reads, {});
      if (loop.write) loop.write->samples = std::exchange(writes, {});
      Facts& counters = loop.counters;
      for (Fact& seen : sampler_.end(monotonic_ns())) counters.push_back(std::move(seen));
    }
  };
  const Answer answer =
      client_.call(request, patience, on_line, [this] { sampler_.tick(monotonic_ns()); });
  if (answer.keeper_lost) target_lost_ = true;
  if (answer.hung && !answer.keeper_lost) {  // the backend, or the target? A tiny I/O there tells
    Target same;
    if (auto answers = judge_direct(same); !answers && !interrupted()) target_lost_ = true;
  }
  if (answer.interrupted) {
    record.status = Status::interrupted;
    record.reason = "the run was interrupted";
  } else if (answer.error) {
    const bool cannot =
        answer.error->code == ErrorCode::unavailable || answer.error->code == ErrorCode::refused;
    record.status = cannot ? Status::skipped : Status::failed;
    record.reason = answer.error->message;
  }
  return record;
}

Outcome<Done> Session::remove() {
  if (!created_) return Done{};
  if (target_lost_) return Error{ErrorCode::failed, "the target stopped answering", 0};
  const Answer answer = client_.call(
      {.ask = Ask::remove}, {.quiet_ns = kPatienceWithRemoval, .to_the_end = true}, ignore);
  if (answer.error) return *answer.error;
  return Done{};
}

Outcome<std::vector<std::string>> Session::clean_up() {
  std::vector<std::string> lines;
  auto done = simple({.ask = Ask::cleanup}, {.quiet_ns = kPatienceWithRemoval},
                     [&](const record::Line& line) {
                       if (const auto* raw = std::get_if<record::RawLine>(&line))
                         lines.push_back(raw->text);
                     });
  if (!done) return done.error();
  return lines;
}

}  // namespace sthd::run
