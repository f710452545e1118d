#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "sthd/outcome.hpp"

namespace sthd::host {

/// Which file was judged, so that a later step can tell that it is still the same one.
struct PluginFile {
  std::filesystem::path path;
  dev_t device = 0;
  ino_t inode = 0;
  std::uint64_t size = 0;       ///< bytes
  std::int64_t changed_ns = 0;  ///< ctime
  bool operator==(const PluginFile&) const = default;
};

/// Gate 0: absolute path, regular file, owned by root, the effective user or the owner of the
/// running binary, and neither it nor its folder writable by group or others. The Error's message
/// continues the sentence that begins with the file's path.
Outcome<PluginFile> judge_file(const std::filesystem::path& path);

/// The same file as it is now; Error when it cannot be examined.
Outcome<PluginFile> identify_file(const std::filesystem::path& path);

}  // namespace sthd::host
