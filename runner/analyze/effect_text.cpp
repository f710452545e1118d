#include "runner/analyze/effect_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "sthd/units.hpp"

namespace sthd::analyze {

namespace {

/// What the condition takes away, and its verb.
std::string_view cause(Condition condition) {
  switch (condition) {
    case Condition::cores_awake:
      return "Idle states cost";
    case Condition::cores_busy:
      return "Cores that sleep or clock down cost";
    case Condition::governor_performance:
      return "The CPU governor costs";
    case Condition::as_is:
      break;
  }
  return "This costs";
}

std::string_view name_of(SyncMode sync) {
  switch (sync) {
    case SyncMode::o_sync:
      return "O_SYNC";
    case SyncMode::o_dsync:
      return "O_DSYNC";
    case SyncMode::fsync:
      return "fsync after each write";
    case SyncMode::fdatasync:
      return "fdatasync after each write";
    case SyncMode::none:
      break;
  }
  return "no sync";
}

std::string pairs_text(std::size_t pairs) {
  return fmt::format("{} pair{}", pairs, pairs == 1 ? "" : "s");
}

/// A share in percent, with a decimal where it is small.
std::string percent(double share) {
  constexpr double kSmall = 0.0995;
  return fmt::format("{:.{}f}", share * 100, std::abs(share) < kSmall ? 1 : 0);
}

/// "31 to 44 %"
std::string range(double from, double to) {
  return fmt::format("{} to {} %", percent(from), percent(to));
}

/// "-2.0 to +3.1 %"
std::string signed_range(double from, double to) {
  return fmt::format("{}{} to {}{} %", from >= 0 ? "+" : "", percent(from), to >= 0 ? "+" : "",
                     percent(to));
}

/// What an I/O takes with the change, for each unit that it takes without: threads in a closed loop
/// wait for one I/O after the other, so that is the inverse of the rates.
struct Time {
  double ratio, low, high;
};
Time time_of(const PairedRatio& rate) { return {1 / rate.ratio, 1 / rate.high, 1 / rate.low}; }

/// "-2.0 to +3.1 % of the time, 5 pairs"
std::string change_of_time(const EffectSides& sides) {
  const Time time = time_of(sides.rate);
  return fmt::format("{} of the time, {}", signed_range(time.low - 1, time.high - 1),
                     pairs_text(sides.pairs));
}

/// "12 % less time than" or "12 % longer than", and its interval.
struct LongerOrLess {
  std::string text;
  std::string interval;
};
LongerOrLess longer_or_less(const EffectSides& sides) {
  const Time time = time_of(sides.rate);
  if (time.ratio < 1) {
    return {fmt::format("{} % less time than", percent(1 - time.ratio)),
            range(1 - time.high, 1 - time.low)};
  }
  return {fmt::format("{} % longer than", percent(time.ratio - 1)),
          range(time.low - 1, time.high - 1)};
}

std::string too_few(std::string_view what, std::string_view with, const EffectSides& sides) {
  return fmt::format("{} against {}: {} of measurements say nothing yet; use --repeat {} or more.",
                     what, with, pairs_text(sides.pairs), kFewestPairs);
}

std::string undecided(std::string_view what, std::string_view with, std::string_view where,
                      const EffectSides& sides) {
  return fmt::format("No difference shown between {} and {} in {} ({}).", what, with, where,
                     change_of_time(sides));
}

std::string at_depth(const Workload& workload) {
  return workload.queue_depth > 1 ? fmt::format("Q{} T{}", workload.queue_depth, workload.threads)
                                  : fmt::format("T{}", workload.threads);
}

std::string_view kind(const Workload& workload, bool with_sync) {
  if (workload.op == Op::read) return "read";
  if (workload.op == Op::mixed) return "mixed I/O";
  return with_sync && workload.sync != SyncMode::none ? "sync write" : "write";
}

std::string kinds(const Workload& workload, bool with_sync) {
  return fmt::format("{}{}", kind(workload, with_sync), workload.op == Op::mixed ? "" : "s");
}

std::string block(const Workload& workload) { return short_size(workload.block_size); }

}  // namespace

std::string workload_name(const Workload& workload, bool with_sync) {
  return fmt::format("{} {} at {}", block(workload), kinds(workload, with_sync),
                     at_depth(workload));
}

std::string condition_text(const EffectSides& sides) {
  const auto what = to_text(sides.changed.condition);
  const auto with = to_text(sides.base.condition);
  const std::string where = workload_name(sides.changed);
  if (sides.shown == Shown::too_few) return too_few(what, with, sides);
  if (sides.shown == Shown::nothing) return undecided(what, with, where, sides);
  if (sides.shown == Shown::same) {
    return fmt::format("{} nothing here: {} take the same time {} and {} ({}, {}).",
                       cause(sides.changed.condition), where, what, with,
                       signed_range(1 / sides.rate.high - 1, 1 / sides.rate.low - 1),
                       pairs_text(sides.pairs));
  }
  const auto [text, interval] = longer_or_less(sides);
  if (sides.rate.ratio > 1) {
    return fmt::format("{} {} % of the latency of {} ({} against {}: {}, {}).",
                       cause(sides.changed.condition), percent(1 - 1 / sides.rate.ratio), where,
                       what, with, interval, pairs_text(sides.pairs));
  }
  return fmt::format("{} take {} {} with {} ({}, {}).", where, text, with, what, interval,
                     pairs_text(sides.pairs));
}

std::string sync_text(const EffectSides& sides) {
  const auto what = name_of(sides.changed.sync);
  const auto with = name_of(sides.base.sync);
  const std::string where = workload_name(sides.changed, false);
  if (sides.shown == Shown::too_few) return too_few(what, with, sides);
  if (sides.shown == Shown::nothing) return undecided(what, with, where, sides);
  if (sides.shown == Shown::same) {
    return fmt::format("{} and {} cost the same in {} ({}).", with, what, where,
                       change_of_time(sides));
  }
  const auto [text, interval] = longer_or_less(sides);
  return fmt::format("{} takes {} {} in {} ({}, {}).", what, text, with, where, interval,
                     pairs_text(sides.pairs));
}

std::string block_text(const EffectSides& sides) {
  const std::string what = fmt::format("{} {}", block(sides.changed), kind(sides.changed, true));
  const std::string with = block(sides.base);
  const std::string where = at_depth(sides.changed);
  if (sides.shown == Shown::too_few) return too_few(what + "s", with, sides);
  if (sides.shown == Shown::nothing) {
    return fmt::format("No difference shown between {}s of {} and {} at {} ({}).",
                       kind(sides.changed, true), block(sides.changed), with, where,
                       change_of_time(sides));
  }
  if (sides.shown == Shown::same) {
    return fmt::format("A {} takes as long as one of {} at {} ({}).", what, with, where,
                       change_of_time(sides));
  }
  const Time time = time_of(sides.rate);
  return fmt::format("A {} takes {:.2f} times as long as one of {} at {} ({:.2f} to {:.2f}, {}).",
                     what, time.ratio, with, where, time.low, time.high, pairs_text(sides.pairs));
}

std::string threads_text(const EffectSides& sides) {
  const std::string what = fmt::format("{} threads", sides.changed.threads);
  const std::string with = fmt::format("{}", sides.base.threads);
  const std::string blocks = fmt::format("{} {}", block(sides.changed), kinds(sides.changed, true));
  if (sides.shown == Shown::too_few) return too_few(what, with, sides);
  const PairedRatio& rate = sides.rate;
  const std::string change = fmt::format(
      "{} of the rate, {}", signed_range(rate.low - 1, rate.high - 1), pairs_text(sides.pairs));
  if (sides.shown == Shown::nothing) {
    return fmt::format("No difference shown between {} and {} in {} ({}).", what, with, blocks,
                       change);
  }
  if (sides.shown == Shown::same) {
    return fmt::format("{} do as many {} as {} ({}).", what, blocks, with, change);
  }
  return fmt::format("{} do {:.2f} times as many {} as {} ({:.2f} to {:.2f}, {}).", what,
                     rate.ratio, blocks, with, rate.low, rate.high, pairs_text(sides.pairs));
}

std::string log_limit_text(const Workload& taken, const Workload& left) {
  return fmt::format(
      "{} {} leave the log device for the data disks; those of {} still go to it, by the counters "
      "of the intent log.",
      block(left), kinds(left, true), block(taken));
}

std::string gain_text(Condition condition, const PairedRatio& rate) {
  const auto sign = [](double share) { return share >= 0 ? "+" : ""; };
  const double gain = rate.ratio - 1;
  const std::string figures =
      fmt::format("{}: {:.0f} -> {:.0f} IOPS", to_text(condition), rate.base, rate.changed);
  if (shown_by(rate) != Shown::differs) {
    return fmt::format("{}, no difference shown ({}, {})", figures,
                       signed_range(rate.low - 1, rate.high - 1), pairs_text(rate.pairs));
  }
  return fmt::format(
      "{}, {}{} % ({}), {}", figures, sign(gain), percent(gain),
      gain >= 0 ? range(rate.low - 1, rate.high - 1) : signed_range(rate.low - 1, rate.high - 1),
      pairs_text(rate.pairs));
}

}  // namespace sthd::analyze
