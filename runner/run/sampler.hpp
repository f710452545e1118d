#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sthd/facts.hpp"

namespace sthd::run {

/// What the CPUs did during a measured window, seen from the runner: their frequencies ten times a
/// second, and the time spent in the deepest idle state. Costs at most 0.3 ms a tick, however many
/// CPUs there are: those that do not fit are read at the next ticks. The files of the first 256
/// CPUs stay open; a tick allocates nothing. Not thread-safe.
class Sampler {
 public:
  /// Everything is read below `sysroot` ("" = the real root).
  explicit Sampler(const std::string& sysroot = {});
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// A window begins. Times are CLOCK_MONOTONIC, ns.
  void begin(std::uint64_t now_ns);
  /// Reads frequencies, unless it did so less than 100 ms ago or no window is open.
  void tick(std::uint64_t now_ns);
  /// The window is over: cpu.mhz_mean, cpu.mhz_min, cpu.mhz_max of all that was read (a fact
  /// without value where nothing could be) and cpu.idle_deep_share_percent. Empty when no window
  /// was open.
  Facts end(std::uint64_t now_ns);

 private:
  /// A file with one number.
  struct File {
    std::string path;
    int fd = -1;  ///< -1: opened for each reading
  };
  static void keep_open(std::vector<File>& files);
  static std::optional<std::uint64_t> read(const File& file);
  static std::uint64_t total(const std::vector<File>& files);
  void read_frequencies();

  std::vector<File> frequency_files_;  ///< in kHz, one a CPU
  std::vector<File> idle_files_;       ///< µs in the deepest enabled state, one a CPU
  std::size_t next_ = 0;               ///< whose turn it is
  bool open_ = false;
  std::uint64_t begun_ns_ = 0;
  std::uint64_t ticked_ns_ = 0;
  std::uint64_t idle_us_ = 0;  ///< of all CPUs, at the beginning
  std::uint64_t readings_ = 0;
  double sum_mhz_ = 0;
  double min_mhz_ = 0;
  double max_mhz_ = 0;
};

}  // namespace sthd::run
