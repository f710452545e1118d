#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sthd/metrics.hpp"

// Private to the SDK's sources.
namespace sthd {

/// Some loops of a record, as those of one repeat. Refers to it.
struct Part {
  const ResultRecord& record;
  std::vector<const LoopResult*> loops;
};
/// All of them.
Part whole(const ResultRecord& record);

/// metric() of those loops alone.
std::optional<MetricValue> metric(const Part& part, Op op, std::string_view name);

/// merged() without its samples: what the figures need. Where one loop is all there is, it is
/// looked at in its place: a copy of its histograms takes longer than any figure.
class Total {
 public:
  Total(const Part& part, Op op);
  Total(const Total&) = delete;
  Total& operator=(const Total&) = delete;

  explicit operator bool() const { return total_ != nullptr; }
  const OpResult& operator*() const { return *total_; }
  const OpResult* operator->() const { return total_; }

  static OpResult without_samples(const OpResult& from);

 private:
  void add(const OpResult& loop);
  void keep(OpResult result);

  const OpResult* total_ = nullptr;  ///< a loop's, or the sum
  std::optional<OpResult> sum_;
};

}  // namespace sthd
