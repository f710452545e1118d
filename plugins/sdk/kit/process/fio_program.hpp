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

/// What fio, once tried, can do for this workload.
[[nodiscard]] Capability fio_capability(const FioProgram& fio, const Workload& workload,
                                        std::string_view engine);

/// How long fio may take in all, in ns: beyond it, it hangs. Generous: two minutes and the time to
/// write the whole size at 4 MB/s beyond what was asked for, 0.1 s an I/O where that has no time.
[[nodiscard]] std::uint64_t fio_deadline(const Workload& workload);

/// Tells a RunContext phases and running totals. fio's `--eta` lines give the rates since the line
/// before; all totals come from them, so a fio that falls silent makes us silent, too. Times are
/// monotonic_ns().
class FioProgress {
 public:
  FioProgress(const Workload& workload, RunContext& context, std::uint64_t start_ns);

  /// A line of standard output that came at `now_ns`.
  void line(std::string_view text, std::uint64_t now_ns);
  /// To be called some twenty times a second; true = the job is to be stopped.
  bool tick(std::uint64_t now_ns);

 private:
  void tell(Phase phase);

  RunContext& context_;
  bool ramp_;
  std::uint64_t runtime_ns_;        // 0 = no end known
  std::uint64_t measure_ns_;        // when the ramp is over
  std::uint64_t counted_ns_ = 0;    // from the first line that counts to the last
  std::uint64_t last_line_ns_ = 0;  // 0 = the count has not begun
  std::uint64_t last_sample_ns_ = 0;
  double ios_ = 0;
  double bytes_ = 0;
  Phase told_ = Phase::prepare;
};

}  // namespace sthd::process
