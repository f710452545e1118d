#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sthd {

/// A candidate that was tried and refused, with the reason ("io_uring", "no backend offers it").
struct Attempt {
  std::string what;
  std::string refused;
};

/// Asked versus effective for one job.
struct Resolution {
  std::string backend;  ///< empty = none found: the job is skipped with `reason`
  std::string engine;
  std::string backend_version;  ///< "fio-3.33", "dd (coreutils) 9.1"; empty for built-in engines
  std::optional<bool> direct_effective;  ///< O_DIRECT is used and real; empty = not known
  std::string direct_reason;             ///< why it is or is not: one clause
  std::uint32_t queue_depth_effective =
      0;                       ///< in flight per thread as the engine can have them; 0 = unknown
  std::uint32_t workers = 0;   ///< OS threads that issue I/O; 0 = unknown
  std::string note;            ///< "queue depth served by 32 threads"; may be empty
  std::string reason;          ///< why nothing was found; empty when something was
  std::vector<Attempt> tried;  ///< every refused candidate, in order
};

/// What Backend::probe found to work.
struct Capability {
  std::string version;  ///< of the program or library used; may be empty
  std::uint32_t queue_depth_effective = 1;
  std::uint32_t workers = 1;
  std::string note;
};

}  // namespace sthd
