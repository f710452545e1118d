#include "runner/run/counting.hpp"

#include <exception>

#include "sthd/units.hpp"

namespace sthd::run {
namespace {

constexpr std::uint64_t kExpected = 100 * kMillisecond;  // between two signs of life, at most

std::optional<host::Snapshot> read(const host::Counters& counters) noexcept {
  try {
    return counters.read();
  } catch (const std::exception&) {  // no memory: the figures count more than the counters
    return std::nullopt;
  }
}

}  // namespace

void Counting::phase(Phase phase, std::uint64_t now_ns) noexcept {
  if (phase == Phase::measure) {
    begin_ = read(counters_);
    end_.reset();
    silence_ns_ = 0;
    ticked_ns_ = now_ns;
    watching_ = true;
  } else if (phase == Phase::end_fsync || phase == Phase::close) {
    tick(now_ns);
    watching_ = false;  // a long fsync is silent too
    if (phase == Phase::close && begin_ && !end_) end_ = read(counters_);
  }
}

void Counting::tick(std::uint64_t now_ns) noexcept {
  if (!watching_.load(std::memory_order_relaxed)) return;
  const std::uint64_t before = ticked_ns_.exchange(now_ns, std::memory_order_relaxed);
  const std::uint64_t silence = now_ns > before ? now_ns - before : 0;
  if (silence > silence_ns_.load(std::memory_order_relaxed)) silence_ns_ = silence;
}

Facts Counting::facts() {
  if (!begin_) return {};
  if (!end_) end_ = read(counters_);
  if (!end_) return {};
  Facts facts = host::difference(*begin_, *end_);
  const std::uint64_t silence = silence_ns_;
  Fact stopped{"wall.stopped_ns", {}, {}};
  if (keeps_watch_) {
    stopped.value = static_cast<double>(silence > kExpected ? silence - kExpected : 0);
  } else {
    stopped.unknown_because = "another program does the I/O, and nobody watches its clock";
  }
  facts.push_back(std::move(stopped));
  return facts;
}

}  // namespace sthd::run
