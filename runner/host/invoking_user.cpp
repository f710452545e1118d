#include "runner/host/invoking_user.hpp"

#include <pwd.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace sthd::host {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? "" : value;
}

/// A number and nothing else; -1 is no user.
std::optional<uid_t> number(std::string_view text) {
  uid_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = code == std::errc{} && end == text.data() + text.size();
  return whole && value != static_cast<uid_t>(-1) ? std::optional(value) : std::nullopt;
}

/// Without a slash at its end; empty where it is relative.
fs::path absolute(const std::string& text) {
  if (!text.starts_with('/')) return {};
  const fs::path path = fs::path(text).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

InvokingUser invoking_user() {
  const auto sudo_uid = number(environment("SUDO_UID"));
  const passwd* caller = ::geteuid() == 0 && sudo_uid ? ::getpwuid(*sudo_uid) : nullptr;
  if (caller != nullptr) {
    const bool other = caller->pw_uid != 0;
    return {caller->pw_uid, caller->pw_gid, absolute(caller->pw_dir), other};
  }
  return {::geteuid(), ::getegid(), absolute(environment("HOME")), false};
}

fs::path xdg_folder(const InvokingUser& user, const char* variable, const fs::path& fallback) {
  if (!user.through_sudo) {
    if (auto folder = absolute(environment(variable)); !folder.empty()) return folder;
  }
  return user.home.empty() ? user.home : user.home / fallback;
}

// The group first, while we may still change it. What setfsuid gives back says what was, so a
// second call asks.
ActAs::ActAs(const InvokingUser& user) : changed_(user.through_sudo) {
  if (!changed_) return;
  ::setfsgid(user.gid);
  ::setfsuid(user.uid);
  ok_ = static_cast<gid_t>(::setfsgid(static_cast<gid_t>(-1))) == user.gid &&
        static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1))) == user.uid;
}

ActAs::~ActAs() {
  if (!changed_) return;
  ::setfsuid(::geteuid());
  ::setfsgid(::getegid());
}

}  // namespace sthd::host
