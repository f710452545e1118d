#include "runner/plan/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <range/v3/algorithm/contains.hpp>
#include <range/v3/algorithm/find.hpp>

namespace sthd::plan {

/// Fills the direct part of `result`; false when the job must be skipped for it.
bool Resolver::decide_direct(const Workload& workload, Resolved& result) const {
  auto& resolution = result.resolution;
  if (workload.direct == DirectMode::off) {
    resolution.direct_effective = false;
    resolution.direct_reason = "buffered by choice";
    return true;
  }
  std::string refusal;
  const std::uint32_t align = target_.direct_offset_alignment;
  if (!direct_.works || !direct_.real.value_or(true)) {
    refusal = direct_.reason;
  } else if (align > 0 && workload.block_size % align != 0) {
    refusal = fmt::format("blocks of {} bytes are no multiple of the {} that O_DIRECT needs here",
                          workload.block_size, align);
  }
  if (refusal.empty()) {
    result.use_direct = true;
    resolution.direct_effective = direct_.real;
    resolution.direct_reason = direct_.reason;
    return true;
  }
  resolution.direct_effective = false;
  resolution.direct_reason = refusal;
  if (workload.direct == DirectMode::auto_) return true;
  resolution.reason = "O_DIRECT is required: " + refusal;
  resolution.tried.push_back({"O_DIRECT", refusal});
  return false;
}

/// False when the job must be skipped for want of its condition.
bool Resolver::has_condition(std::size_t index, const Workload& workload, Resolution& resolution) {
  const Condition wanted = workload.condition;
  if (wanted == Condition::as_is) return true;
  auto known = conditions_.find(wanted);
  if (known == conditions_.end()) {
    known = conditions_.emplace(wanted, prober_.condition(index)).first;
  }
  if (known->second.ok()) return true;
  const std::string& refusal = known->second.error().message;
  resolution.reason = fmt::format("{}: {}", to_text(wanted), refusal);
  resolution.tried.push_back({std::string(to_text(wanted)), refusal});
  return false;
}

std::vector<Resolver::Candidate> Resolver::of_listed_backends(const Workload& workload,
                                                              std::vector<Attempt>& tried) const {
  std::vector<Candidate> result;
  for (const auto& name : workload.backends) {
    const auto found = ranges::find(backends_, name, &host::BackendEntry::name);
    if (found == ranges::end(backends_)) {
      tried.push_back({name, "no such backend; `speedtest-hd list -v` shows what was loaded"});
      continue;
    }
    const auto& offered = found->info.engines;
    const auto before = result.size();
    for (const auto& engine : workload.engines) {
      if (ranges::contains(offered, engine)) result.push_back({&*found, engine});
    }
    if (result.size() > before) continue;
    if (workload.engine_named) {
      tried.push_back(
          {name, fmt::format("it does not offer {}", fmt::join(workload.engines, ", "))});
    } else {
      for (const auto& engine : offered) result.push_back({&*found, engine});
    }
  }
  return result;
}

std::vector<Resolver::Candidate> Resolver::candidates(const Workload& workload,
                                                      std::vector<Attempt>& tried) const {
  if (!workload.backends.empty()) return of_listed_backends(workload, tried);
  std::vector<Candidate> native;
  std::vector<Candidate> others;
  for (const auto& engine : workload.engines) {
    bool offered = false;
    for (const auto& entry : backends_) {
      if (!ranges::contains(entry.info.engines, engine)) continue;
      (entry.info.native ? native : others).push_back({&entry, engine});
      offered = offered || entry.info.native;
    }
    if (!offered && !(workload.engine_named && !others.empty())) {
      tried.push_back({engine, "no backend offers it"});
    }
  }
  native.insert(native.end(), others.begin(), others.end());
  return native;
}

Outcome<Capability> Resolver::ask(std::size_t index, const Job& job, const Candidate& candidate,
                                  bool direct) {
  const Workload& w = job.workload;
  const std::string question = fmt::format(
      "{}",
      fmt::join(
          std::vector<std::string>{
              candidate.backend->name, candidate.engine, std::string(direct ? "d" : "b"),
              fmt::format("{} {} {} {} {}", to_text(w.op), to_text(w.pattern), to_text(w.sync),
                          to_text(w.region), to_text(w.layout)),
              fmt::format("{} {} {} {}", w.block_size, w.queue_depth, w.threads, w.size),
              fmt::format("{} {} {} {} {}", w.ios, w.bytes, w.runtime_ns, w.ramp_ns,
                          w.engine_named),
              fmt::format("{} {} {} {} {} {}", w.read_percent, w.rate_iops, to_text(w.distribution),
                          w.zipf_theta, w.poll, w.sqpoll)},
          " "));
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&](const auto& entry) { return entry.first == question; });
  if (known != known_.end()) return known->second;
  auto answer =
      prober_.probe(index, candidate.backend->name, candidate.engine, w.engine_named, direct);
  known_.emplace_back(question, answer);
  return answer;
}

Resolved Resolver::resolve(std::size_t index, const Job& job) {
  Resolved result;
  result.index = index;
  auto& resolution = result.resolution;
  if (!has_condition(index, job.workload, resolution)) return result;
  if (!decide_direct(job.workload, result)) return result;
  for (const auto& candidate : candidates(job.workload, resolution.tried)) {
    const auto capability = ask(index, job, candidate, result.use_direct);
    if (!capability) {
      const bool same = candidate.engine == candidate.backend->name;
      resolution.tried.push_back(
          {same ? candidate.engine
                : fmt::format("{} by {}", candidate.engine, candidate.backend->name),
           capability.error().message});
      continue;
    }
    resolution.backend = candidate.backend->name;
    resolution.engine = candidate.engine;
    resolution.backend_version = capability->version;
    resolution.queue_depth_effective = capability->queue_depth_effective;
    resolution.workers = capability->workers;
    resolution.note = capability->note;
    return result;
  }
  resolution.direct_effective.reset();  // nothing ran that it could be said of
  resolution.direct_reason.clear();
  if (resolution.tried.empty()) {
    resolution.reason = "no engine was asked for";
  } else {
    const auto& last = resolution.tried.back();
    resolution.reason = fmt::format("{}: {}", last.what, last.refused);
  }
  return result;
}

}  // namespace sthd::plan
