#include "runner/plan/cross_check.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace sthd::plan {
namespace {

constexpr const char* kKey = "check";

/// As if the check were one more axis: those of an id are sorted.
std::string twin_id(const Job& job) {
  const std::string axis = fmt::format("{}={}", kKey, kCheckBackend);
  if (job.id.size() <= job.template_id.size()) return job.id + '/' + axis;
  std::size_t at = job.template_id.size() + 1;
  while (at < job.id.size() && job.id.compare(at, std::string::npos, axis) < 0) {
    // A piece without "=" is part of the value before it.
    do {
      const auto comma = job.id.find(',', at);
      at = comma == std::string::npos ? job.id.size() : comma + 1;
    } while (at < job.id.size() && job.id.find('=', at) >= job.id.find(',', at));
  }
  if (at == job.id.size()) return job.id + ',' + axis;
  return job.id.substr(0, at) + axis + ',' + job.id.substr(at);
}

class Labels {
 public:
  explicit Labels(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) taken_.insert(job.label);
  }
  /// Reads and writes that share a row share their twins' row too.
  const std::string& twin(const std::string& label) {
    auto [at, fresh] = twins_.try_emplace(label, label);
    if (fresh) {
      while (!taken_.insert(at->second).second) at->second += " fio";
    }
    return at->second;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::string> twins_;
};

}  // namespace

std::vector<Job> twins_of(const std::vector<Job>& jobs) {
  Labels labels(jobs);
  std::vector<Job> twins;
  twins.reserve(jobs.size());
  for (const Job& job : jobs) {
    Job& twin = twins.emplace_back(job);
    twin.id = twin_id(job);
    twin.label = labels.twin(job.label);
    twin.checks = job.id;
    twin.workload.backends = {kCheckBackend};
    twin.workload.backend_named = true;
  }
  return twins;
}

Job twin_with(Job twin, const std::string& engine) {
  twin.workload.engines = {engine};
  twin.workload.engine_named = true;
  return twin;
}

}  // namespace sthd::plan
