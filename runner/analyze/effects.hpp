#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sthd/report.hpp"

// What a change of one key does, measured: the statistics behind measured-effect, doctor and try.
namespace sthd::analyze {

/// Fewer pairs give an interval that says nothing.
inline constexpr std::size_t kFewestPairs = 3;

/// The quantile of Student's t that 95 % of its values stay within, both sides taken together.
/// `degrees` of freedom >= 1. By the finite sums for whole degrees: M. Abramowitz, I. A. Stegun,
/// Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
double student_t(std::size_t degrees);

/// How much larger a figure is with a change than without it, from paired repeats.
struct PairedRatio {
  double base = 0;     ///< geometric mean without the change
  double changed = 0;  ///< … and with it
  double ratio = 1;    ///< changed ÷ base
  double low = 1;      ///< of the interval that holds the true ratio with 95 % confidence
  double high = 1;
  std::size_t pairs = 0;
};

/// The i-th values of both belong together: they were measured one after the other, so that a slow
/// drift of the machine meets both; what one side has more is left out. Student's t over the
/// logarithms of the pairs' ratios, with pairs - 1 degrees of freedom. Of so few pairs a bootstrap
/// gives intervals that are too short, and a rank test cannot reach 95 % with fewer than six; an
/// outlier makes this one wider, which costs a claim, and never makes one. Empty with fewer than
/// kFewestPairs pairs, or where a value is not positive.
std::optional<PairedRatio> paired_ratio(const std::vector<double>& base,
                                        const std::vector<double>& changed);

/// What the intervals allow to be said.
enum class Shown {
  differs,   ///< the interval excludes "no difference"
  same,      ///< it holds it, and nothing beyond 5 %: more would be no news to who waits
  nothing,   ///< it holds it, and more
  too_few,   ///< there is none
  by_counts  ///< not a matter of chance: counters tell
};
Shown shown_by(const std::optional<PairedRatio>& ratio);

/// What the change of one key of the workload does to a row.
struct Effect {
  std::string job;   ///< id of the row with the change
  std::string base;  ///< id of the row without it
  std::string key;   ///< "condition", "sync", "block_size" or "threads"
  Shown shown = Shown::too_few;
  std::optional<PairedRatio> ratio;  ///< of the rows' IOPS; empty with too few pairs
  std::string text;                  ///< one sentence, with the interval and the pairs
  std::string remedy;                ///< how to keep what helps; may be empty
  std::vector<Evidence> evidence;
};

/// Compares the rows of a template that were repeated in turns and differ in one key alone, each
/// with the first of them: as-is, the first sync mode, the smallest block, the fewest threads.
/// Where the conditions of a template took turns, its other keys are not compared, for their rows
/// ran one after the other. Last, which block sizes went past the log device of a ZFS pool.
std::vector<Effect> effects(const Report& report);

/// The effect of `condition` as `try` says it: "cores-awake: 3520 -> 4100 IOPS, +16.5 % (12.0 to
/// 21.0 %), 5 pairs".
std::string gain_text(Condition condition, const PairedRatio& ratio);

/// How to keep what a condition did, on the platform of the report; empty for as-is.
std::string keeping(const Report& report, Condition condition);

/// "4K sync writes at T1".
std::string workload_name(const Workload& workload, bool with_sync = true);

}  // namespace sthd::analyze
