#pragma once

#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::test {

/// Records that are compared, and what they are called.
struct Labelled {
  std::vector<Report> reports;
  std::vector<std::string> labels;
};

/// The "slow" Optane log device of a TrueNAS server in the four stages of its cure: 4 KiB sync
/// writes at T1 and T16, by the figures that were published. At the start T16 has no IOPS and no
/// latencies; of T1 only the median is known, of T16 only the 99th percentile.
Labelled four_stages();

/// One sync stream without a log device, with an old SSD as such and with a fast one: 100
/// iterations of 160 MiB, but 2 with the old one. By the figures of a blog.
Labelled log_devices();

}  // namespace sthd::test
