#include <sys/auxv.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "runner/host/plugin_host.hpp"

namespace sthd::host {
namespace {

namespace fs = std::filesystem;

/// The environment of a program that gained rights is somebody else's word.
bool environment_is_trusted() {
  return ::getauxval(AT_SECURE) == 0 && std::getenv("SUDO_UID") == nullptr;
}

void add_path_list(std::string_view list, std::vector<PluginFolder>& folders) {
  while (!list.empty()) {
    const auto end = std::min(list.find(':'), list.size());
    if (end > 0) folders.push_back({fs::path(list.substr(0, end)), false});
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

}  // namespace

std::vector<PluginFolder> plugin_folders(const std::vector<std::string>& from_command_line) {
  std::vector<PluginFolder> folders;
  std::error_code error;
  if (const auto binary = fs::read_symlink("/proc/self/exe", error); !error) {
    folders.push_back(
        {binary.parent_path().parent_path() / "lib" / "speedtest-hd" / "plugins", true});
  }
  for (const auto& folder : from_command_line) {
    // Typed by the user just now, so relative to where the user is.
    auto absolute = fs::absolute(folder, error);
    folders.push_back({error ? fs::path(folder) : absolute.lexically_normal(), false});
  }
  if (!environment_is_trusted()) return folders;
  if (const char* list = std::getenv("STHD_PLUGIN_PATH")) add_path_list(list, folders);
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    const auto folder = fs::path(home) / ".local" / "lib" / "speedtest-hd";
    // Most people have none: only one that is there may be refused aloud.
    if (fs::exists(folder, error)) folders.push_back({folder, false});
  }
  return folders;
}

}  // namespace sthd::host
