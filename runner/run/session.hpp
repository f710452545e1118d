#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/plan/resolve.hpp"
#include "runner/run/client.hpp"
#include "sthd/report.hpp"

namespace sthd::run {

/// What the scheduler is told while a child works.
struct Watcher {
  std::function<void(Phase, std::uint32_t loop)> phase = [](Phase, std::uint32_t) {};
  std::function<void(const Progress&)> progress = [](const Progress&) {};
  std::function<void(std::string_view)> raw = [](std::string_view) {};
};

/// One run's work on the target, step by step, each in a child of the keeper. Not thread-safe.
class Session final : public plan::Prober {
 public:
  Session(KeeperHandle keeper, Interrupt& interrupt, const std::vector<Job>& jobs)
      : client_(keeper, interrupt), interrupt_(interrupt), jobs_(jobs) {}

  /// Opens and locks the directory. Error: refused; EWOULDBLOCK when another run holds it.
  Outcome<Target> inspect(const std::string& path, const Watcher& watcher);
  /// Creates the test file with its first MiB.
  Outcome<Done> create();
  /// Whether O_DIRECT works there and means anything; updates the target's alignments.
  Outcome<plan::DirectFacts> judge_direct(Target& target);
  Outcome<Capability> probe(std::size_t job, const std::string& backend, const std::string& engine,
                            bool named, bool direct) override;
  /// Writes the whole test file.
  Outcome<Done> lay_out(std::uint64_t size, bool direct, const Watcher& watcher);
  /// Runs one job; the record says how it ended, whatever happened.
  ResultRecord run_job(std::size_t index, const plan::Resolved& resolved, const Watcher& watcher);
  Outcome<Done> remove();
  /// Lines about each leftover file.
  Outcome<std::vector<std::string>> clean_up();

  [[nodiscard]] bool target_lost() const { return target_lost_; }
  [[nodiscard]] bool interrupted() const { return interrupt_.raised(); }

 private:
  Outcome<Done> simple(const Request& request, Patience patience, const Client::OnLine& on_line);

  Client client_;
  Interrupt& interrupt_;
  const std::vector<Job>& jobs_;
  bool target_lost_ = false;
  bool created_ = false;
};

}  // namespace sthd::run
