#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kit/process/fio_text.hpp"
#include "sthd/backend.hpp"
#include "sthd/outcome.hpp"

namespace sthd::process {

/// An installed fio that is new enough.
struct FioProgram {
  std::string path;       ///< absolute
  std::string version;    ///< "fio-3.33"; safe to show
  bool confined = false;  ///< a snap or flatpak, which may not see the target
};

/// Finds fio in PATH and asks for its version, for at most 5 s. Error `unavailable` says what is
/// wrong with what was found. fio 2.99 brought nanoseconds and is the oldest accepted.
[[nodiscard]] Outcome<FioProgram> find_fio();

/// Why fio cannot do this workload, or not truly; empty = it can.
[[nodiscard]] std::string fio_objection(const Workload& workload, std::string_view engine);

/// Tells a RunContext phases and running totals from fio's `--eta` lines, which give the rates of
/// the last second.
class FioProgress {
 public:
  FioProgress(const Workload& workload, RunContext& context);

  void line(std::string_view text);
  /// To be called some twenty times a second; true = the job is to be stopped.
  bool tick();

 private:
  void tell(Phase phase);

  RunContext& context_;
  std::uint64_t measure_ns_;  // when the ramp is over
  std::uint64_t last_ns_;
  FioRates rates_;
  bool known_ = false;
  double ios_ = 0;
  double bytes_ = 0;
  Phase told_ = Phase::prepare;
};

}  // namespace sthd::process
