#pragma once

#include <string>
#include <vector>

#include "runner/host/plugin_file.hpp"

namespace sthd::host {

/// Names of the sections of an ELF library for this machine. Sizes and offsets are checked here
/// first, because Boost.DLL's reader trusts them: a corrupt file makes it loop or allocate without
/// end. The Error's message continues the sentence that begins with the file's path.
Outcome<std::vector<std::string>> section_names(const PluginFile& file);

}  // namespace sthd::host
