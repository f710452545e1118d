#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sthd/facts.hpp"

// What the disks say of their own state, before and after a measured window: whether one got hot or
// slowed itself down meanwhile. Reading it costs a command to the disk, so never inside the window.
namespace sthd::host {

/// An NVMe disk's log page 02h, SMART / Health Information (NVM Express Base Specification).
using NvmeHealthPage = std::array<std::uint8_t, 512>;

struct NvmeHealth {
  double temperature_c = 0;
  double wear_percent = 0;           ///< of the rated life; may be more than 100
  std::uint64_t throttle_count = 0;  ///< transitions into either state of thermal management
  std::uint64_t throttle_s = 0;      ///< time in them
};
NvmeHealth parse_health(const NvmeHealthPage& page);

/// Reads `/dev/DISK`, or below a `sysroot` other than "" the file commands/nvme-smart-DISK. Not
/// thread-safe.
class Health {
 public:
  /// `disks` in the order of their numbers; those beyond the eighth are left out.
  Health(std::string sysroot, std::vector<std::string> disks);

  void begin();
  /// disk.N.temperature_begin_c and disk.N.temperature_c; of NVMe disks also disk.N.wear_percent,
  /// and as differences since begin() disk.N.throttle_count and disk.N.throttle_s. A fact without
  /// value says why.
  Facts end();

 private:
  struct State {
    std::optional<double> temperature_c;
    std::optional<NvmeHealth> nvme;
    std::string fault;  ///< why there is no nvme
  };
  [[nodiscard]] State read(const std::string& disk) const;

  std::string sysroot_;
  std::vector<std::string> disks_;
  std::vector<State> before_;
};

}  // namespace sthd::host
