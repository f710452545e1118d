#pragma once

#include <cstdint>
#include <string>

#include "runner/app/terminal.hpp"
#include "runner/run/session.hpp"
#include "sthd/report.hpp"

namespace sthd::app {

/// Turns what a child reports into the terminal's progress line: rates over the last moments, the
/// share of the job that is done, and the time left of the whole run.
class ProgressLine {
 public:
  ProgressLine(Terminal& terminal, const PlanInfo& plan) : terminal_(terminal), plan_(plan) {}

  /// `next`: the job that needs it.
  run::Watcher layout(std::uint64_t size, std::size_t next);
  run::Watcher job(std::size_t index);

  /// What the backend said in its own words during the last job.
  [[nodiscard]] const std::string& raw() const { return raw_; }

 private:
  void show(const Progress& progress);
  [[nodiscard]] double seconds_after(std::size_t index) const;

  Terminal& terminal_;
  const PlanInfo& plan_;
  ProgressView view_;
  std::string raw_;
  std::size_t index_ = 0;
  std::uint64_t total_bytes_ =
      0;  ///< of the layout, or of a job bounded by bytes; 0 = bounded by time
  std::uint32_t loop_ = 0;
  Progress last_;
};

}  // namespace sthd::app
