#include "runner/plan/turns.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace sthd::plan {
namespace {

/// A job, and its twin where both run.
struct Unit {
  std::size_t job = 0;
  bool paired = false;
  bool runs = true;
};

std::uint32_t repeats(const std::vector<Job>& jobs, const Unit& unit) {
  return unit.runs ? std::max(1U, jobs[unit.job].workload.repeat) : 1;
}

std::vector<Unit> units_of(const std::vector<Job>& jobs, const std::vector<bool>& runs) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const bool paired =
        i + 1 < jobs.size() && jobs[i + 1].checks == jobs[i].id && runs[i] && runs[i + 1];
    units.push_back({i, paired, runs[i]});
    if (paired) ++i;
  }
  return units;
}

/// The id as it would be without its axis `condition`.
std::string without_condition(const std::string& id) {
  constexpr std::string_view kAxis = "condition=";
  for (std::size_t at = id.find(kAxis); at != std::string::npos; at = id.find(kAxis, at + 1)) {
    if (at == 0 || (id[at - 1] != '/' && id[at - 1] != ',')) continue;
    const std::size_t comma = id.find(',', at);
    if (comma != std::string::npos) return id.substr(0, at) + id.substr(comma + 1);
    return id.substr(0, at - 1);
  }
  return id;
}

/// Which units go round together: indices into `units`, in the order of the first of each.
std::vector<std::vector<std::size_t>> rounds_of(const std::vector<Job>& jobs,
                                                const std::vector<Unit>& units) {
  const auto goes_round = [&](std::size_t unit) {
    return repeats(jobs, units[unit]) > 1 &&
           jobs[units[unit].job].workload.order == Order::interleaved;
  };
  std::map<std::string, std::size_t> conditions;  // how many rows differ in it alone
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (goes_round(i)) ++conditions[without_condition(jobs[units[i].job].id)];
  }
  std::vector<std::vector<std::size_t>> rounds;
  std::map<std::pair<bool, std::string>, std::size_t> known;  // index into `rounds`
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Job& job = jobs[units[i].job];
    if (goes_round(i)) {
      const std::string bare = without_condition(job.id);
      const bool siblings = conditions[bare] > 1;
      const auto [at, fresh] =
          known.try_emplace({siblings, siblings ? bare : job.template_id}, rounds.size());
      if (!fresh) {
        rounds[at->second].push_back(i);
        continue;
      }
    }
    rounds.push_back({i});
  }
  return rounds;
}

void add_repeat(const std::vector<Job>& jobs, const Unit& unit, std::uint32_t repeat,
                std::vector<Turn>& order) {
  const std::uint32_t loops = jobs[unit.job].workload.loops;
  if (!unit.paired) {
    order.push_back({.job = unit.job, .repeat = repeat, .loops = loops});
    return;
  }
  for (std::uint32_t loop = 0; loop < loops; ++loop) {
    order.push_back({.job = unit.job, .repeat = repeat, .first_loop = loop});
    order.push_back({.job = unit.job + 1, .repeat = repeat, .first_loop = loop});
  }
}

/// The pauses of those that run, but the first.
void add_pauses(const std::vector<Job>& jobs, const std::vector<bool>& runs,
                std::vector<Turn>& order) {
  bool first = true;
  for (Turn& turn : order) {
    if (!runs[turn.job]) continue;
    const Workload& w = jobs[turn.job].workload;
    const bool goes_on = w.order == Order::grouped && (turn.repeat > 0 || turn.first_loop > 0);
    if (!first && !goes_on) turn.pause_ns = w.interval_ns;
    first = false;
  }
}

}  // namespace

std::vector<Turn> turns(const std::vector<Job>& jobs, const std::vector<bool>& runs) {
  std::vector<Turn> order;
  const std::vector<Unit> units = units_of(jobs, runs);
  for (const auto& round : rounds_of(jobs, units)) {
    std::uint32_t most = 0;
    for (const std::size_t unit : round) most = std::max(most, repeats(jobs, units[unit]));
    for (std::uint32_t repeat = 0; repeat < most; ++repeat) {
      for (const std::size_t unit : round) {
        if (repeat < repeats(jobs, units[unit])) add_repeat(jobs, units[unit], repeat, order);
      }
    }
  }
  add_pauses(jobs, runs, order);
  return order;
}

}  // namespace sthd::plan
