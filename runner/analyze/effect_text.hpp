#pragma once

#include <cstddef>
#include <string>

#include "runner/analyze/effects.hpp"

// The sentences of effects(): what was compared, how much it makes, the interval and the pairs.
namespace sthd::analyze {

/// A comparison, ready to be told.
struct EffectSides {
  const Workload& base;
  const Workload& changed;
  Shown shown;
  PairedRatio rate;       ///< of the IOPS; meaningless with too few pairs
  std::size_t pairs = 0;  ///< also when they are too few
};

std::string condition_text(const EffectSides& sides);
std::string sync_text(const EffectSides& sides);
std::string block_text(const EffectSides& sides);
std::string threads_text(const EffectSides& sides);

/// Of the largest block that the log device took and a larger one that it did not.
std::string log_limit_text(const Workload& taken, const Workload& left);

}  // namespace sthd::analyze
