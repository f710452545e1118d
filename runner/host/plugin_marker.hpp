#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/host/plugin_file.hpp"
#include "sthd/abi.hpp"

namespace sthd::host {

/// What the marker section's name says: `sthd<major>.<kind>.<name>.<minor>.<family>`.
struct PluginMarker {
  PluginKind kind = PluginKind::backend;
  std::string name;
};

/// "backend" or "formatter".
std::string_view kind_text(PluginKind kind);

/// Gate 1 for one file: its ELF tables lie within bounds, it has one marker, and that marker says
/// what this program can load. Runs none of the file's code. The Error's message continues the
/// sentence that begins with the file's path.
Outcome<PluginMarker> judge_marker(const PluginFile& file);

/// The judgement on a marker's text alone. `section` is the whole section name.
Outcome<PluginMarker> parse_marker(std::string_view section);

}  // namespace sthd::host
