#pragma once

#include <string>

#include "sthd/result.hpp"

namespace sthd::app {

/// For --verbose: the backend's own words (`raw`), else the same facts as a block: percentile
/// ladder, slat, clat, lat, a line a thread, CPU; what was tried; and the row as a fio command
/// line, or why there is none. display()ed; ends with a newline.
std::string verbose_text(const ResultRecord& record, const std::string& raw);

}  // namespace sthd::app
