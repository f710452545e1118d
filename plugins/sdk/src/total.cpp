#include "total.hpp"

#include <algorithm>
#include <utility>

namespace sthd {
namespace {

using Histogram = std::optional<LatencyHistogram>;

/// Percentiles of a part of the samples would pass for those of all: one side without, none at all.
void merge(Histogram& into, const Histogram& from) {
  if (into && from) {
    into->merge(*from);
  } else {
    into.reset();
  }
}

void add_counts(OpResult& into, const OpResult& from) {
  into.bytes += from.bytes;
  into.ios += from.ios;
  into.lat.merge(from.lat);
  merge(into.slat, from.slat);
  merge(into.clat, from.clat);
  merge(into.sync, from.sync);
  merge(into.response, from.response);
}

/// Both directions of a mixed loop: they ran at the same time.
OpResult together(const OpResult& read, const OpResult& write) {
  OpResult both = Total::without_samples(read);
  add_counts(both, write);
  // One side alone may have synced; its calls are still all there are.
  if (!both.sync) both.sync = read.sync ? read.sync : write.sync;
  both.elapsed_ns = std::max(read.elapsed_ns, write.elapsed_ns);
  return both;
}

}  // namespace

Part whole(const ResultRecord& record) {
  Part part{record, {}};
  part.loops.reserve(record.loops.size());
  for (const LoopResult& loop : record.loops) part.loops.push_back(&loop);
  return part;
}

OpResult Total::without_samples(const OpResult& from) {
  return {.bytes = from.bytes,
          .ios = from.ios,
          .elapsed_ns = from.elapsed_ns,
          .lat = from.lat,
          .slat = from.slat,
          .clat = from.clat,
          .sync = from.sync,
          .response = from.response,
          .samples = {}};
}

Total::Total(const Part& part, Op op) {
  if (part.record.status == Status::skipped) return;
  for (const LoopResult* loop : part.loops) {
    if (op == Op::mixed && loop->read && loop->write) {
      OpResult both = together(*loop->read, *loop->write);
      total_ == nullptr ? keep(std::move(both)) : add(both);
      continue;
    }
    const bool read = op == Op::read || (op == Op::mixed && loop->read);
    const std::optional<OpResult>& one = read ? loop->read : loop->write;
    if (one) add(*one);
  }
}

void Total::add(const OpResult& loop) {
  if (total_ == nullptr) {
    total_ = &loop;
    return;
  }
  if (!sum_) keep(without_samples(*total_));
  add_counts(*sum_, loop);
  sum_->elapsed_ns += loop.elapsed_ns;
}

void Total::keep(OpResult result) {
  sum_ = std::move(result);
  total_ = &*sum_;
}

}  // namespace sthd
