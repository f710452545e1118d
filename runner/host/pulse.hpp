#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sthd/facts.hpp"

namespace sthd::host {

/// What the difference of two counters cannot tell of disks: how many I/Os were in flight at once,
/// and for how long none of them ended. Keeps the disks' files open; a tick is one pread(2) each
/// and allocates nothing. Not thread-safe.
class Pulse {
 public:
  /// `disks` in the order of their numbers, as named in /sys/block below `sysroot` ("" = the real
  /// root).
  Pulse(const std::string& sysroot, const std::vector<std::string>& disks);
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

  /// To be called ten times a second. Times are CLOCK_MONOTONIC, ns.
  void tick(std::uint64_t now_ns);
  /// disk.N.in_flight_max, and disk.N.longest_stall_ns: the longest span between two ticks in which
  /// I/O was in flight and none ended, so that a real stall was at least that long. Facts without a
  /// value where the disk could not be read.
  [[nodiscard]] Facts facts() const;

 private:
  struct Disk {
    int fd = -1;
    bool seen = false;
    bool was_busy = false;
    std::uint64_t ended = 0;     ///< I/Os of all kinds, by the last tick
    std::uint64_t since_ns = 0;  ///< none ended from here on
    std::uint64_t longest_ns = 0;
    std::uint64_t most = 0;
  };
  std::vector<Disk> disks_;
};

}  // namespace sthd::host
