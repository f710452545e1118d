#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/units.hpp"

namespace sthd {

// Enumerators are spelled as their TOML and JSON text (`auto_` is `auto`: a C++ keyword).
enum class Op { read, write, mixed };
enum class Pattern { sequential, random };
enum class SyncMode { none, o_sync, o_dsync, fsync, fdatasync };
enum class DirectMode { auto_, required, off };
enum class CacheMode { cold, warm, as_is };
enum class Region { auto_, own, same, shared };
enum class Layout { full, none };
enum class BufferKind { random, zeros };
enum class Distribution { uniform, zipf };
/// What is done to the host while a row is measured, and undone after it.
enum class Condition {
  as_is,                ///< nothing
  cores_awake,          ///< /dev/cpu_dma_latency held at 0: no core leaves C0
  cores_busy,           ///< a spinner of the lowest priority on each core
  governor_performance  ///< the CPU frequency governor set to performance
};
/// How repeated rows follow each other.
enum class Order {
  interleaved,  ///< in rounds, so that what changes meanwhile meets all rows
  grouped       ///< all repeats of a row before the next row
};
/// Which of its repeats stands for a row.
enum class Score { median, max };

/// Texts of an enum, in enumerator order.
template <class E>
inline constexpr std::array<std::string_view, 0> kEnumTexts{};
template <>
inline constexpr std::array<std::string_view, 3> kEnumTexts<Op>{"read", "write", "mixed"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumTexts<Pattern>{"sequential", "random"};
template <>
inline constexpr std::array<std::string_view, 5> kEnumTexts<SyncMode>{"none", "o_sync", "o_dsync",
                                                                      "fsync", "fdatasync"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumTexts<DirectMode>{"auto", "required", "off"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumTexts<CacheMode>{"cold", "warm", "as_is"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumTexts<Region>{"auto", "own", "same",
                                                                    "shared"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumTexts<Layout>{"full", "none"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumTexts<BufferKind>{"random", "zeros"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumTexts<Distribution>{"uniform", "zipf"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumTexts<Condition>{
    "as-is", "cores-awake", "cores-busy", "governor-performance"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumTexts<Order>{"interleaved", "grouped"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumTexts<Score>{"median", "max"};

/// The TOML/JSON text of an enumerator.
template <class E>
constexpr std::string_view to_text(E value) {
  return kEnumTexts<E>[static_cast<std::size_t>(value)];
}

/// The enumerator of a text, or nothing.
template <class E>
constexpr std::optional<E> from_text(std::string_view text) {
  for (std::size_t i = 0; i < kEnumTexts<E>.size(); ++i) {
    if (kEnumTexts<E>[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

/// What one job does to the target. Every default has been resolved: nothing here is "unset" but
/// the limits.
struct Workload {
  Op op = Op::read;
  Pattern pattern = Pattern::sequential;
  std::uint64_t block_size = 4 * kKiB;  ///< bytes of one I/O
  std::uint32_t queue_depth = 1;        ///< I/Os in flight per thread
  std::uint32_t threads = 1;
  SyncMode sync = SyncMode::none;
  DirectMode direct = DirectMode::auto_;
  CacheMode cache = CacheMode::as_is;
  bool end_fsync = false;        ///< one fsync after the last write, inside elapsed
  std::uint64_t runtime_ns = 0;  ///< measured window; 0 = until `ios` or `bytes` is reached
  std::uint64_t ramp_ns = 0;     ///< uncounted lead-in
  std::uint32_t loops = 1;       ///< one after the other
  std::uint32_t repeat = 1;      ///< times that all loops are measured, other rows in between
  Order order = Order::interleaved;
  Score score = Score::median;
  std::uint64_t interval_ns = 0;  ///< pause before the row, so that a device can cool and clean up
  Condition condition = Condition::as_is;
  std::uint64_t ios = 0;      ///< limit over all threads; 0 = none
  std::uint64_t bytes = 0;    ///< limit over all threads; 0 = none
  std::uint64_t size = kGiB;  ///< bytes of the test file that the job uses (its front); 0 = not
                              ///< known, where another program ran it
  Region region =
      Region::auto_;  ///< auto: own parts for sequential T > 1, the same whole for random
  Layout layout = Layout::full;
  BufferKind buffer = BufferKind::random;
  std::uint32_t read_percent = 70;  ///< share of reads, for op = mixed only
  std::uint64_t rate_iops = 0;      ///< open loop: I/Os started a second, over all threads; 0 = as
                                    ///< fast as the queue depth allows
  Distribution distribution = Distribution::uniform;  ///< of random offsets
  double zipf_theta = 0;  ///< the k-th most popular block is drawn in proportion to k^-theta
  bool poll = false;      ///< completions are polled for, not interrupted for (io_uring's IOPOLL)
  bool sqpoll = false;    ///< a kernel thread submits (io_uring's SQPOLL)
  std::uint64_t sample_ns = 100 * kMillisecond;  ///< length of a slice of the time series
  std::vector<std::string> engines;              ///< candidates, in order
  std::vector<std::string>
      backends;               ///< candidates, in order; empty = any native backend, then the others
  bool engine_named = false;  ///< the user named it: never replaced by another
  bool backend_named = false;
};

/// I/Os after which the workload ends, over all threads; 0 = no limit but its runtime. With neither
/// limit nor runtime it passes over its region once.
std::uint64_t limit_in_ios(const Workload& workload);

/// One resolved, immutable unit of work.
struct Job {
  std::string id;           ///< template id plus its axes, sorted: "sync4k/threads=4"
  std::string template_id;  ///< "sync4k"
  std::string label;        ///< row identity: "4K sync T4"
  std::string checks;  ///< id of the job that this one repeats with another backend; empty = none
  Workload workload;
};

}  // namespace sthd
