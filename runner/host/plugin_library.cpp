#include "runner/host/plugin_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <boost/dll/shared_library.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sthd::host {
namespace {

constexpr const char* kSymbol = "sthd_plugin";
constexpr const char* kRebuild = "build it again with this version's SDK";

Error refused(std::string clause) { return Error{ErrorCode::refused, std::move(clause), 0}; }

/// Libraries are never unloaded: code of theirs may still be reachable (thread-local destructors,
/// atexit), so this list is never destroyed.
std::vector<boost::dll::shared_library>& loaded_libraries() {
  static auto* const libraries = new std::vector<boost::dll::shared_library>;
  return *libraries;
}

/// Both addresses lie in the same loaded library.
bool same_library(const void* a, const void* b) {
  Dl_info of_a{};
  Dl_info of_b{};
  return ::dladdr(a, &of_a) != 0 && ::dladdr(b, &of_b) != 0 && of_a.dli_fbase == of_b.dli_fbase;
}

Error contradiction(const char* what, std::string_view found, std::string_view wanted) {
  return refused(fmt::format("its descriptor says {} \"{}\", and its marker \"{}\": {}", what,
                             found, wanted, kRebuild));
}

}  // namespace

Outcome<const PluginDescriptor*> load_descriptor(const PluginFile& file,
                                                 const PluginMarker& marker) {
  const auto now = identify_file(file.path);
  if (!now || *now != file) {
    return refused("it changed while it was being checked, and it must not: start again");
  }
  namespace dll = boost::dll;
  dll::fs::error_code code;
  dll::shared_library library;
  library.load(file.path, dll::load_mode::rtld_now | dll::load_mode::rtld_local, code);
  if (code) {
    const char* why = ::dlerror();
    return refused(
        fmt::format("it cannot be loaded ({}), and it must: install what it needs or "
                    "build it again",
                    why != nullptr ? why : code.message()));
  }
  loaded_libraries().push_back(library);
  if (!library.has(kSymbol)) {
    return refused(
        fmt::format("it does not export the symbol \"{}\", and a plugin must: add "
                    "STHD_BACKEND_PLUGIN or STHD_FORMATTER_PLUGIN to its source",
                    kSymbol));
  }
  const void* const& alias = library.get<const void*>(kSymbol);
  if (alias == nullptr || !same_library(alias, &alias)) {
    return refused(
        fmt::format("its symbol \"{}\" points outside the library, and it must point to "
                    "the descriptor: {}",
                    kSymbol, kRebuild));
  }
  const auto* descriptor = static_cast<const PluginDescriptor*>(alias);
  if (auto judged = judge_descriptor(*descriptor, marker); !judged) return judged.error();
  return descriptor;
}

Outcome<Done> judge_descriptor(const PluginDescriptor& descriptor, const PluginMarker& marker) {
  if (descriptor.magic != kPluginMagic) {
    return refused(
        fmt::format("its descriptor begins with {:#018x}, and a plugin's with {:#018x}: "
                    "{}",
                    descriptor.magic, kPluginMagic, kRebuild));
  }
  if (descriptor.abi_major != kAbiMajor || descriptor.abi_minor != kAbiMinor) {
    return refused(
        fmt::format("its descriptor says plugin interface {}.{}, and this program has "
                    "{}.{}: {}",
                    descriptor.abi_major, descriptor.abi_minor, kAbiMajor, kAbiMinor, kRebuild));
  }
  if (descriptor.struct_size != sizeof(PluginDescriptor)) {
    return refused(fmt::format("its descriptor has {} bytes, and this program's {}: {}",
                               descriptor.struct_size, sizeof(PluginDescriptor), kRebuild));
  }
  if (descriptor.kind != marker.kind) {
    return refused(fmt::format("its descriptor says kind {}, and its marker {} ({}): {}",
                               static_cast<std::uint32_t>(descriptor.kind),
                               static_cast<std::uint32_t>(marker.kind), kind_text(marker.kind),
                               kRebuild));
  }
  for (const char* text :
       {descriptor.family, descriptor.name, descriptor.version, descriptor.summary}) {
    if (text == nullptr) {
      return refused(
          fmt::format("its descriptor lacks its family, name, version or summary, and "
                      "all are required: {}",
                      kRebuild));
    }
  }
  if (descriptor.family != std::string_view(STHD_ABI_FAMILY)) {
    return contradiction("family", descriptor.family, STHD_ABI_FAMILY);
  }
  if (descriptor.name != marker.name) return contradiction("name", descriptor.name, marker.name);
  if (descriptor.create == nullptr || descriptor.destroy == nullptr) {
    return refused(
        fmt::format("its descriptor lacks create or destroy, and both are required: {}", kRebuild));
  }
  return Done{};
}

Outcome<void*> create_instance(const PluginDescriptor& descriptor) {
  std::array<char, 512> message{};
  void* instance = descriptor.create(message.data(), message.size());
  if (instance != nullptr) return instance;
  message.back() = '\0';
  const std::string_view why =
      message.front() != '\0' ? std::string_view(message.data()) : "it gave no reason";
  return refused(
      fmt::format("it could not start ({}), and a plugin must to be used: see its own "
                  "documentation",
                  why));
}

}  // namespace sthd::host
