#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sthd::host {

/// PRETTY_NAME of an os-release file, quotes undone; empty when it has none.
std::string distribution_name(std::string_view os_release);

/// The first "model name" (or what other architectures call it) of /proc/cpuinfo; empty when there
/// is none.
std::string cpu_model(std::string_view cpuinfo);

/// MemTotal of /proc/meminfo in bytes.
std::optional<std::uint64_t> memory_bytes(std::string_view meminfo);

}  // namespace sthd::host
