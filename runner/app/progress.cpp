#include "runner/app/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runner/run/clock.hpp"
#include "sthd/text.hpp"

namespace sthd::app {

run::Watcher ProgressLine::layout(std::uint64_t size, double seconds_after) {
  view_ = {};
  view_.label = "laying out the test file";
  total_bytes_ = size;
  seconds_after_ = seconds_after;
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
      view_.eta_seconds = std::max(0.0, left / rate) + seconds_after_;
    }
    show(progress);
  };
  return watcher;
}

void ProgressLine::begin(const plan::Turn& turn) {
  const Job& job = plan_.jobs[turn.job];
  view_ = {};
  view_.job = turn.job + 1;
  view_.jobs = plan_.jobs.size();
  view_.label = fmt::format("{} {}", job.label, to_text(job.workload.op));
}

std::function<void(std::uint64_t left_ns)> ProgressLine::pause(const plan::Turn& turn,
                                                               double seconds_after) {
  begin(turn);
  return [this, seconds_after](std::uint64_t left_ns) {
    const double left = static_cast<double>(left_ns) / 1e9;
    view_.phase = fmt::format("pause {:.0f} s", std::ceil(left));
    view_.eta_seconds = left + seconds_after;
    terminal_.progress(view_, run::monotonic_ns());
  };
}

run::Watcher ProgressLine::job(const plan::Turn& turn, double seconds_after) {
  const Job& job = plan_.jobs[turn.job];
  turn_ = turn;
  seconds_after_ = seconds_after;
  raw_.clear();
  loop_ = turn.first_loop;
  last_ = {};
  total_bytes_ = limit_in_ios(job.workload) * job.workload.block_size;
  begin(turn);
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
    const Workload& w = plan_.jobs[turn_.job].workload;
    const double elapsed = static_cast<double>(progress.elapsed_ns) / 1e9;
    if (w.runtime_ns > 0) {
      const double whole = static_cast<double>(w.runtime_ns) / 1e9;
      const std::uint32_t begun = std::min(loop_ - turn_.first_loop + 1, turn_.loops);
      const double later = (turn_.loops - begun) * static_cast<double>(w.ramp_ns + w.runtime_ns);
      view_.fraction = std::min(1.0, elapsed / whole);
      view_.eta_seconds = std::max(0.0, whole - elapsed) + later / 1e9 + seconds_after_;
    } else if (total_bytes_ > 0 && progress.bytes > 0) {
      view_.eta_seconds =
          elapsed * (static_cast<double>(total_bytes_) / static_cast<double>(progress.bytes) - 1) +
          seconds_after_;
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
