#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/host/plugin_host.hpp"
#include "sthd/job.hpp"
#include "sthd/outcome.hpp"
#include "sthd/resolution.hpp"
#include "sthd/target.hpp"

namespace sthd::plan {

/// What is known about O_DIRECT on this target.
struct DirectFacts {
  bool works = false;
  std::optional<bool> real;
  std::string reason;
};

/// The seam to the machine: a probe is a real, tiny I/O on the target.
class Prober {
 public:
  virtual ~Prober() = default;
  virtual Outcome<Capability> probe(std::size_t job, const std::string& backend,
                                    const std::string& engine, bool named, bool direct) = 0;
  /// Whether the condition of this job can be had here; nothing is changed yet.
  virtual Outcome<Done> condition(std::size_t job) = 0;
};

/// A Resolution, and how its job is run.
struct Resolved {
  Resolution resolution;
  bool use_direct = false;  ///< the test file is opened with O_DIRECT (which may have no effect)
  std::size_t index = 0;    ///< by which the processes at the target know the job
  [[nodiscard]] bool runs() const { return !resolution.backend.empty(); }
};

/// Finds backend and engine for one job: in the job's order, what was named never replaced, every
/// refusal recorded.
class Resolver {
 public:
  Resolver(const std::vector<host::BackendEntry>& backends, const Target& target,
           DirectFacts direct, Prober& prober)
      : backends_(backends), target_(target), direct_(std::move(direct)), prober_(prober) {}

  /// `index`: by which the prober knows the job.
  Resolved resolve(std::size_t index, const Job& job);

 private:
  struct Candidate {
    const host::BackendEntry* backend;
    std::string engine;
  };
  std::vector<Candidate> candidates(const Workload& workload, std::vector<Attempt>& tried) const;
  std::vector<Candidate> of_listed_backends(const Workload& workload,
                                            std::vector<Attempt>& tried) const;
  bool decide_direct(const Workload& workload, Resolved& result) const;
  bool has_condition(std::size_t index, const Workload& workload, Resolution& resolution);
  Outcome<Capability> ask(std::size_t index, const Job& job, const Candidate& candidate,
                          bool direct);

  const std::vector<host::BackendEntry>& backends_;
  const Target& target_;
  DirectFacts direct_;
  Prober& prober_;
  std::vector<std::pair<std::string, Outcome<Capability>>> known_;  ///< answers by question
  std::map<Condition, Outcome<Done>> conditions_;
};

}  // namespace sthd::plan
