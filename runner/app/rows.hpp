#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/app/prepare.hpp"
#include "runner/app/progress.hpp"
#include "runner/plan/turns.hpp"
#include "runner/run/session.hpp"
#include "sthd/report.hpp"

namespace sthd::app {

/// Measures the rows of a plan, in its order (plan::turns). The test file is laid out when the next
/// job needs it. All references outlive the object.
class Rows {
 public:
  /// A finished record, and what its backend said in its own words.
  using OnRecord = std::function<void(ResultRecord, const std::string& raw)>;

  Rows(run::Session& session, Terminal& terminal, const Report& report, const Prepared& prepared);

  /// Before the first row: lays out the test file if that row needs it. An Error ends the run.
  Outcome<Done> begin();
  /// The records come in the plan's order.
  void run(const OnRecord& on_record);

 private:
  using Turns = std::vector<plan::Turn>;
  /// A record on its way.
  struct Entry {
    ResultRecord record;
    std::string raw;
    bool finished = false;
  };
  [[nodiscard]] Turns all_turns() const;
  [[nodiscard]] double seconds_from(Turns::const_iterator turn) const;
  void run_loops(Turns::const_iterator turn, Entry& entry);
  Outcome<Done> ready_file(Turns::const_iterator turn);
  void pause_before(Turns::const_iterator turn);

  run::Session& session_;
  const Report& report_;
  const Prepared& prepared_;
  Turns turns_;
  ProgressLine progress_;
  bool laid_out_ = false;
  std::optional<Error>
      layout_error_;  ///< final: what a full device or a failed sync left is unknown
};

}  // namespace sthd::app
