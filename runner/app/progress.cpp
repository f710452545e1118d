#include "runner/app/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runner/run/clock.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

double seconds_of(const Workload& w) {
  return static_cast<double>(w.loops) * static_cast<double>(w.ramp_ns + w.runtime_ns) / 1e9;
}

}  // namespace

double ProgressLine::seconds_after(std::size_t index) const {
  double seconds = 0;
  for (std::size_t i = index + 1; i < plan_.jobs.size(); ++i)
    seconds += seconds_of(plan_.jobs[i].workload);
  // The loops of a job and of the twin that checks it alternate.
  const auto one_loop = [this](std::size_t job) {
    const Workload& w = plan_.jobs[job].workload;
    return seconds_of(w) / w.loops;
  };
  const auto checks = [this](std::size_t twin, std::size_t job) {
    return twin < plan_.jobs.size() && plan_.jobs[twin].checks == plan_.jobs[job].id;
  };
  if (checks(index + 1, index)) seconds -= loop_ * one_loop(index + 1);
  if (index > 0 && checks(index, index - 1)) {
    const std::uint32_t loops = plan_.jobs[index].workload.loops;
    seconds += (loops - 1 - std::min(loop_, loops - 1)) * one_loop(index - 1);
  }
  return seconds;
}

run::Watcher ProgressLine::layout(std::uint64_t size, std::size_t next) {
  view_ = {};
  view_.label = "laying out the test file";
  total_bytes_ = size;
  index_ = next;
  loop_ = 0;
  last_ = {};
  run::Watcher watcher;
  watcher.progress = [this](const Progress& progress) {
    view_.fraction =
        std::min(1.0, static_cast<double>(progress.bytes) / static_cast<double>(total_bytes_));
    if (progress.bytes > 0) {
      const double left = static_cast<double>(total_bytes_) - static_cast<double>(progress.bytes);
      const double rate =
          static_cast<double>(progress.bytes) * 1e9 / static_cast<double>(progress.elapsed_ns);
      view_.eta_seconds = std::max(0.0, left / rate) + seconds_of(plan_.jobs[index_].workload) +
                          seconds_after(index_);
    }
    show(progress);
  };
  return watcher;
}

run::Watcher ProgressLine::job(std::size_t index) {
  const Job& job = plan_.jobs[index];
  index_ = index;
  raw_.clear();
  loop_ = 0;
  last_ = {};
  total_bytes_ = limit_in_ios(job.workload) * job.workload.block_size;
  view_ = {};
  view_.job = index + 1;
  view_.jobs = plan_.jobs.size();
  view_.label = fmt::format("{} {}", job.label, to_text(job.workload.op));
  run::Watcher watcher;
  watcher.raw = [this](std::string_view text) { raw_ += text; };
  watcher.phase = [this](Phase phase, std::uint32_t loop) {
    if (loop != loop_) last_ = {};
    loop_ = loop;
    view_.phase = std::string(to_text(phase));
    view_.megabytes_per_second.reset();
    view_.iops.reset();
    view_.p99_us.reset();
    if (phase == Phase::prepare) view_.fraction.reset();
    terminal_.progress(view_, run::monotonic_ns());
  };
  watcher.progress = [this](const Progress& progress) {
    const Workload& w = plan_.jobs[index_].workload;
    const double elapsed = static_cast<double>(progress.elapsed_ns) / 1e9;
    if (w.runtime_ns > 0) {
      const double whole = static_cast<double>(w.runtime_ns) / 1e9;
      const double later = (w.loops - 1 - std::min(loop_, w.loops - 1)) * seconds_of(w) / w.loops;
      view_.fraction = std::min(1.0, elapsed / whole);
      view_.eta_seconds = std::max(0.0, whole - elapsed) + later + seconds_after(index_);
    } else if (total_bytes_ > 0 && progress.bytes > 0) {
      view_.eta_seconds =
          elapsed * (static_cast<double>(total_bytes_) / static_cast<double>(progress.bytes) - 1) +
          seconds_after(index_);
      view_.fraction =
          std::min(1.0, static_cast<double>(progress.bytes) / static_cast<double>(total_bytes_));
    }
    show(progress);
  };
  return watcher;
}

void ProgressLine::show(const Progress& progress) {
  // fio tells its counters once a second: between two of them the last rate stands.
  constexpr std::uint64_t kStaleAfter = 1500 * kMillisecond;
  // A job's last word comes soon after the one before: too short for a rate.
  constexpr std::uint64_t kTooShort = 50 * kMillisecond;
  const bool moved = progress.bytes != last_.bytes || progress.elapsed_ns < last_.elapsed_ns ||
                     progress.elapsed_ns > last_.elapsed_ns + kStaleAfter;
  if (moved && progress.elapsed_ns > last_.elapsed_ns + kTooShort) {
    const double seconds = static_cast<double>(progress.elapsed_ns - last_.elapsed_ns) / 1e9;
    const auto bytes = static_cast<double>(progress.bytes - std::min(progress.bytes, last_.bytes));
    view_.megabytes_per_second = bytes / kMB / seconds;
    if (view_.job > 0 && progress.ios > 0) {  // the layout has no IOPS worth showing
      view_.iops = static_cast<double>(progress.ios - std::min(progress.ios, last_.ios)) / seconds;
    }
  }
  if (progress.p99_ns) view_.p99_us = static_cast<double>(*progress.p99_ns) / 1e3;
  if (moved) last_ = progress;
  terminal_.progress(view_, run::monotonic_ns());
}

}  // namespace sthd::app
