#include "kit/native/collect.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace sthd::native {
namespace {

bool uses(const Workload& workload, Op op) { return workload.op == op || workload.op == Op::mixed; }

OpResult side(Op op, const std::deque<Worker>& workers, const Workload& workload,
              QueueTraits traits, std::uint64_t elapsed) {
  OpResult result{.elapsed_ns = elapsed};
  LatencyHistogram slat;
  LatencyHistogram clat;
  LatencyHistogram sync;
  LatencyHistogram response;
  for (const auto& worker : workers) {
    const Tally& tally = worker.tally(op);
    result.ios += tally.ios.load();
    tally.lat.drain_into(result.lat);
    tally.slat.drain_into(slat);
    tally.clat.drain_into(clat);
    tally.response.drain_into(response);
    if (op == Op::write) worker.sync.drain_into(sync);
  }
  result.bytes = result.ios * workload.block_size;
  if (traits.synchronous) {
    result.clat = result.lat;  // one call submits and completes: there is no submission apart
  } else {
    result.slat = std::move(slat);
    result.clat = std::move(clat);
  }
  if (sync.count() > 0) result.sync = std::move(sync);
  if (workload.rate_iops > 0) result.response = std::move(response);
  return result;
}

void collect_threads(const std::deque<Worker>& workers, const Crew& crew, LoopResult& loop) {
  const std::uint32_t threads = crew.workload.threads;
  for (const Op op : {Op::read, Op::write}) {
    if (!uses(crew.workload, op)) continue;
    const std::size_t base = loop.per_thread.size();
    for (std::uint32_t i = 0; i < threads; ++i) loop.per_thread.push_back({.thread = i, .op = op});
    for (const auto& worker : workers) {
      auto& thread = loop.per_thread[base + worker.thread];
      const std::uint64_t ios = worker.tally(op).ios.load();
      thread.ios += ios;
      thread.bytes += ios * crew.workload.block_size;
      thread.elapsed_ns = std::max(thread.elapsed_ns, worker.last_ns - crew.start_ns);
      if (worker.first_ns == 0) continue;
      const std::uint64_t first = worker.first_ns - crew.start_ns;
      thread.first_ns = std::min(thread.first_ns.value_or(first), first);
    }
  }
}

}  // namespace

void collect(const std::deque<Worker>& workers, const Crew& crew, QueueTraits traits,
             std::uint64_t elapsed_ns, LoopResult& loop) {
  for (const Op op : {Op::read, Op::write}) {
    if (!uses(crew.workload, op)) continue;
    (op == Op::read ? loop.read : loop.write) =
        side(op, workers, crew.workload, traits, elapsed_ns);
  }
  if (!traits.synchronous) {
    loop.submit_ns = 0;
    for (const auto& worker : workers) *loop.submit_ns += worker.submit_ns;
  }
  collect_threads(workers, crew, loop);
}

void note_missed_rate(const Workload& w, const std::deque<Worker>& workers,
                      std::uint64_t measured_ns, std::vector<std::string>& notes) {
  if (w.rate_iops == 0 || w.runtime_ns == 0) return;
  std::uint64_t started = 0;
  for (const auto& worker : workers) {
    for (const Tally& tally : worker.tallies) started += tally.ios.load();
  }
  const auto due = static_cast<std::uint64_t>(static_cast<double>(w.rate_iops) *
                                              static_cast<double>(w.runtime_ns) / kSecond);
  constexpr std::uint64_t kTolerated = 1000;  // one in so many, and one in flight each
  const std::uint64_t slack = due / kTolerated + std::uint64_t{w.queue_depth} * w.threads;
  if (started + slack >= due) return;
  notes.push_back(fmt::format(
      "the target could not keep up with rate_iops = {}: {} of {} I/Os that were due in {} were "
      "never started; ask for less than it can do",
      w.rate_iops, due - started, due, human_duration(measured_ns)));
}

void write_log(const Job& job, const std::deque<Worker>& workers, int fd) {
  fmt::memory_buffer text;
  for (const auto& worker : workers) {
    for (const auto& entry : worker.log) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", job.id, to_text(entry.op),
                     entry.offset, job.workload.block_size, entry.latency_ns);
    }
  }
  const char* at = text.data();
  std::size_t left = text.size();
  while (left > 0) {
    const ssize_t n = ::write(fd, at, left);
    if (n <= 0) return;
    at += n;
    left -= static_cast<std::size_t>(n);
  }
}

}  // namespace sthd::native
