#pragma once

#include <vector>

#include "runner/host/plugin_host.hpp"

namespace sthd::test {

/// The plugins of this build, loaded once as the program loads them. STHD_PLUGIN_DIR comes from
/// tests/CMakeLists.txt.
inline const host::PluginHost& plugins() {
  static const host::PluginHost loaded({{STHD_PLUGIN_DIR, true}});
  return loaded;
}

}  // namespace sthd::test
