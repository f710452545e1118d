#include <filesystem>
#include <system_error>

#include "runner/app/commands.hpp"
#include "runner/host/invoking_user.hpp"

namespace sthd::app {

namespace fs = std::filesystem;

profile::SearchPath profile_folders() {
  profile::SearchPath folders;
  const auto own = host::xdg_folder(host::invoking_user(), "XDG_CONFIG_HOME", ".config");
  if (!own.empty()) folders.push_back(own / "speedtest-hd" / "profiles");
  std::error_code fault;
  const fs::path binary = fs::read_symlink("/proc/self/exe", fault);
  if (!fault)
    folders.push_back(binary.parent_path().parent_path() / "share" / "speedtest-hd" / "profiles");
  return folders;
}

}  // namespace sthd::app
