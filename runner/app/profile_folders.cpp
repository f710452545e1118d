#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "runner/app/commands.hpp"

namespace sthd::app {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? "" : value;
}

/// The invoking user's configuration folder: under sudo that of the user who called it.
fs::path configuration_folder() {
  const std::string sudo_uid = environment("SUDO_UID");
  if (::geteuid() == 0 && !sudo_uid.empty()) {
    const passwd* user =
        ::getpwuid(static_cast<uid_t>(std::strtoul(sudo_uid.c_str(), nullptr, 10)));
    if (user != nullptr) return fs::path(user->pw_dir) / ".config";
  }
  if (const std::string xdg = environment("XDG_CONFIG_HOME"); !xdg.empty() && xdg[0] == '/')
    return xdg;
  if (const std::string home = environment("HOME"); !home.empty())
    return fs::path(home) / ".config";
  return {};
}

}  // namespace

profile::SearchPath profile_folders() {
  profile::SearchPath folders;
  if (const auto own = configuration_folder(); !own.empty())
    folders.push_back(own / "speedtest-hd" / "profiles");
  std::error_code fault;
  const fs::path binary = fs::read_symlink("/proc/self/exe", fault);
  if (!fault)
    folders.push_back(binary.parent_path().parent_path() / "share" / "speedtest-hd" / "profiles");
  return folders;
}

}  // namespace sthd::app
