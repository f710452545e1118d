#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runner/app/terminal.hpp"
#include "runner/plan/turns.hpp"
#include "runner/run/session.hpp"
#include "sthd/report.hpp"

namespace sthd::app {

/// Turns what a child reports into the terminal's progress line: rates over the last moments, the
/// share of the job that is done, and the time left of the whole run.
class ProgressLine {
 public:
  ProgressLine(Terminal& terminal, const PlanInfo& plan) : terminal_(terminal), plan_(plan) {}

  /// `seconds_after`: of what runs when it has ended, as far as that is known.
  run::Watcher layout(std::uint64_t size, double seconds_after);
  run::Watcher job(const plan::Turn& turn, double seconds_after);
  /// What the pause before `turn` shows; `seconds_after`: of the turn and all that follows.
  std::function<void(std::uint64_t left_ns)> pause(const plan::Turn& turn, double seconds_after);

  /// What the backend said in its own words during the last job.
  [[nodiscard]] const std::string& raw() const { return raw_; }

 private:
  void show(const Progress& progress);
  /// The view of a job of which nothing is known yet.
  void begin(const plan::Turn& turn);

  Terminal& terminal_;
  const PlanInfo& plan_;
  ProgressView view_;
  std::string raw_;
  plan::Turn turn_;
  double seconds_after_ = 0;
  std::uint64_t total_bytes_ =
      0;  ///< of the layout, or of a job bounded by bytes; 0 = bounded by time
  std::uint32_t loop_ = 0;
  Progress last_;
};

}  // namespace sthd::app
