#pragma once

#include <string>

namespace sthd::run {

/// A private folder (0700) below TMPDIR or /tmp for the files of other programs. Owned by the
/// runner; the keeper removes it too, so that it goes whichever of the two is killed.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Empty where none could be made.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Removes such a folder with what is in it; nothing for an empty path.
void remove_scratch(const std::string& path);

}  // namespace sthd::run
