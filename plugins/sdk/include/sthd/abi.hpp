#pragma once

#include <boost/dll/alias.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>

#include "sthd/abi_family.hpp"
#include "sthd/backend.hpp"
#include "sthd/formatter.hpp"

namespace sthd {

/// The plugin interface's version (abi_family.hpp says when it changes).
inline constexpr std::uint32_t kAbiMajor = STHD_ABI_MAJOR;
inline constexpr std::uint32_t kAbiMinor = STHD_ABI_MINOR;
inline constexpr std::uint64_t kPluginMagic = 0x31646874'73647473;  // "stdsthd1"

enum class PluginKind : std::uint32_t { backend = 1, formatter = 2 };

/// The one exported symbol of a plugin (`sthd_plugin`): plain data, readable before any of its code
/// runs.
struct PluginDescriptor {
  std::uint64_t magic = kPluginMagic;
  std::uint32_t abi_major = kAbiMajor;
  std::uint32_t abi_minor = kAbiMinor;
  std::uint32_t struct_size = sizeof(PluginDescriptor);
  PluginKind kind = PluginKind::backend;
  const char* family = STHD_ABI_FAMILY;
  const char* name = "";     ///< [a-z0-9-]{1,32}, the folder's name
  const char* version = "";  ///< the plugin's own
  const char* summary = "";  ///< one line for `list`
  /// A new Backend* or Formatter* (as void*), owned by the host; nullptr and a sentence in
  /// `message` on failure.
  void* (*create)(char* message, std::size_t size) noexcept = nullptr;
  /// Destroys what create() returned.
  void (*destroy)(void* instance) noexcept = nullptr;
};

namespace detail {
inline void copy_message(const char* text, char* message, std::size_t size) noexcept {
  if (size == 0) return;
  std::strncpy(message, text, size - 1);
  message[size - 1] = '\0';
}
template <class Interface, class Plugin>
void* create(char* message, std::size_t size) noexcept {
  try {
    return static_cast<Interface*>(new Plugin());
  } catch (const std::exception& e) {
    copy_message(e.what(), message, size);
  } catch (...) {
    copy_message("it threw something that is no std::exception", message, size);
  }
  return nullptr;
}
template <class Interface>
void destroy(void* instance) noexcept {
  delete static_cast<Interface*>(instance);
}
}  // namespace detail

}  // namespace sthd

#define STHD_PLUGIN_(Interface, Kind, Class, Name, Summary)     \
  extern const ::sthd::PluginDescriptor sthd_plugin_descriptor; \
  const ::sthd::PluginDescriptor sthd_plugin_descriptor{        \
      .kind = Kind,                                             \
      .name = Name,                                             \
      .version = STHD_PLUGIN_VERSION,                           \
      .summary = Summary,                                       \
      .create = &::sthd::detail::create<Interface, Class>,      \
      .destroy = &::sthd::detail::destroy<Interface>};          \
  BOOST_DLL_ALIAS_SECTIONED(sthd_plugin_descriptor, sthd_plugin, sthd1)

/// At namespace scope in the plugin's one source file. `Class` derives from BackendPlugin /
/// FormatterPlugin.
#define STHD_BACKEND_PLUGIN(Class, Name, Summary) \
  STHD_PLUGIN_(::sthd::Backend, ::sthd::PluginKind::backend, Class, Name, Summary)
#define STHD_FORMATTER_PLUGIN(Class, Name, Summary) \
  STHD_PLUGIN_(::sthd::Formatter, ::sthd::PluginKind::formatter, Class, Name, Summary)
