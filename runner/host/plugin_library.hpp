#pragma once

#include "runner/host/plugin_marker.hpp"

namespace sthd::host {

/// Gate 2: loads the library (it stays loaded for ever) and compares its descriptor with the
/// marker; calls none of its functions, though its constructors run. The Error's message continues
/// the sentence that begins with the file's path.
Outcome<const PluginDescriptor*> load_descriptor(const PluginFile& file,
                                                 const PluginMarker& marker);

/// The judgement on a descriptor alone.
Outcome<Done> judge_descriptor(const PluginDescriptor& descriptor, const PluginMarker& marker);

/// Gate 3: create(). The result is destroyed by descriptor.destroy.
Outcome<void*> create_instance(const PluginDescriptor& descriptor);

}  // namespace sthd::host
