#pragma once

#include <string>
#include <vector>

#include "sthd/report.hpp"

namespace sthd::table {

/// One fact of a record as text, for formats without structure.
struct Field {
  std::string name;        ///< with its unit: "bw_MB_per_s", "lat_p99_us", "runtime_s"
  std::string text;        ///< empty = unknown or none; has passed through sthd::display()
  bool is_number = false;  ///< digits of our own making; otherwise text that may come from anyone
};

/// Every fact about direction `op` of `record`. The names and their order are always the same.
std::vector<Field> fields(const Report& report, const ResultRecord& record, Op op);

}  // namespace sthd::table
