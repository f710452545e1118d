#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/plan/resolve.hpp"
#include "runner/run/client.hpp"
#include "runner/run/sampler.hpp"
#include "sthd/report.hpp"

namespace sthd::run {

/// What the scheduler is told while a child works.
struct Watcher {
  std::function<void(Phase, std::uint32_t loop)> phase = [](Phase, std::uint32_t) {};
  std::function<void(const Progress&)> progress = [](const Progress&) {};
  std::function<void(std::string_view)> raw = [](std::string_view) {};
};

/// Consecutive loops of a job.
struct Loops {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
};

/// One run's work on the target, step by step, each in a child of the keeper. Not thread-safe.
class Session final : public plan::Prober {
 public:
  /// What the sampler reads is below `sysroot` ("" = the real root).
  Session(KeeperHandle keeper, Interrupt& interrupt, const std::string& sysroot = {})
      : client_(keeper, interrupt), interrupt_(interrupt), sampler_(sysroot) {}

  /// Opens and locks the directory. Error: refused; EWOULDBLOCK when another run holds it.
  Outcome<Target> inspect(const std::string& path, const Watcher& watcher);
  /// What inspect() finds, without holding or locking the directory.
  Outcome<Target> look(const std::string& path);
  /// Creates the test file with its first MiB.
  Outcome<Done> create();
  /// Whether O_DIRECT works there and means anything; updates the target's alignments.
  Outcome<plan::DirectFacts> judge_direct(Target& target);
  Outcome<Capability> probe(std::size_t job, const std::string& backend, const std::string& engine,
                            bool named, bool direct) override;
  Outcome<Done> condition(std::size_t job) override;
  /// Writes the whole test file anew.
  Outcome<Done> lay_out(std::uint64_t size, bool direct, const Watcher& watcher);
  /// The leaf disks whose counters the jobs read, in the order of their numbers (disk.N.name of the
  /// facts). Without it, or with none, each job looks for them itself.
  void count_disks(std::vector<std::string> names) { disks_ = std::move(names); }
  /// Leaves the sampler out of the jobs' windows: to measure what it costs.
  void leave_out_sampler() { samples_ = false; }
  /// Lets the target rest for so long; a signal ends it early. `left` is told the rest of the time
  /// at least ten times a second.
  void pause(std::uint64_t ns, const std::function<void(std::uint64_t left_ns)>& left);
  /// Runs these loops of a job; the record says how they ended, whatever happened.
  ResultRecord run_job(const Job& job, const plan::Resolved& resolved, Loops loops,
                       const Watcher& watcher);
  Outcome<Done> remove();
  /// Lines about each leftover file.
  Outcome<std::vector<std::string>> clean_up();

  [[nodiscard]] bool target_lost() const { return target_lost_; }
  [[nodiscard]] bool interrupted() const { return interrupt_.raised(); }

 private:
  Outcome<Target> find(Ask how, const std::string& path, const Watcher& watcher);
  Outcome<Done> simple(const Request& request, Patience patience, const Client::OnLine& on_line);

  Client client_;
  Interrupt& interrupt_;
  Sampler sampler_;
  bool samples_ = true;
  std::vector<std::string> disks_;
  bool target_lost_ = false;
  bool created_ = false;
};

}  // namespace sthd::run
