// Compiled into every plugin, with the plugin's own flags. The section's name says what the plugin
// is, so that the host can judge it without running any of its code.
#include "sthd/abi_family.hpp"

#define STHD_TEXT_OF(macro) STHD_TEXT_OF_(macro)
#define STHD_TEXT_OF_(text) #text

#ifndef STHD_PLUGIN_MARKER
#define STHD_PLUGIN_MARKER                                                      \
  "sthd" STHD_TEXT_OF(STHD_ABI_MAJOR) "." STHD_PLUGIN_KIND "." STHD_PLUGIN_NAME \
                                      "." STHD_TEXT_OF(STHD_ABI_MINOR) "." STHD_ABI_FAMILY
#endif

// `retain` keeps it when the linker collects sections that nobody refers to.
__attribute__((used, retain, section(STHD_PLUGIN_MARKER))) static const char sthd_marker = 0;
