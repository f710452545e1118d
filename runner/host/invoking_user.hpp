#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace sthd::host {

/// Who started the program: under sudo the user who called it, whose files a run may touch.
struct InvokingUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::filesystem::path home;  ///< absolute; empty = not known
  bool through_sudo = false;   ///< we are root, and he is not
};

/// By SUDO_UID where we are root and it names a user, by HOME otherwise. Not of a program that
/// gained rights.
InvokingUser invoking_user();

/// His folder by the XDG rules: what `variable` says where that is absolute, else `fallback` below
/// his home. Under sudo the environment may be root's, so it is not asked. Empty = not known.
std::filesystem::path xdg_folder(const InvokingUser& user, const char* variable,
                                 const std::filesystem::path& fallback);

/// While it lives, the kernel treats our access to files as the user's, who owns what is made:
/// a link that he planted leads nowhere he could not go himself. Of the calling thread.
class ActAs {
 public:
  explicit ActAs(const InvokingUser& user);
  ~ActAs();
  ActAs(const ActAs&) = delete;
  ActAs& operator=(const ActAs&) = delete;

  /// Whether it is so; never where the kernel refuses that identity, as in some containers.
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  bool changed_ = false;
  bool ok_ = true;
};

}  // namespace sthd::host
