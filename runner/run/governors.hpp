#pragma once

#include <string>
#include <vector>

#include "sthd/outcome.hpp"

namespace sthd::run {

/// The CPU frequency governors of all policies at "performance", from set() until restore() or
/// destruction. What they were is noted in a file first, which is locked meanwhile: whoever finds
/// it unlocked later restores them (restore_left_governors). Everything is below `sysroot` ("" or
/// "/" = the real root); messages name the files as they are called there. Not thread-safe.
class Governors {
 public:
  Governors() = default;
  ~Governors() { restore(); }
  Governors(const Governors&) = delete;
  Governors& operator=(const Governors&) = delete;

  /// Whether set() could do it; changes nothing. Error{unavailable}: why not, and what to do.
  static Outcome<Done> check(const std::string& sysroot);

  /// On an Error{unavailable} everything is as it was.
  Outcome<Done> set(const std::string& sysroot);
  /// Writes back what was there, and removes the note.
  void restore() noexcept;
  /// In a child that was forked: lets go of the note, and restores nothing.
  void forget() noexcept;

 private:
  Outcome<Done> open_note(const std::string& sysroot);

  std::string folder_;  ///< of the policies
  std::string note_;    ///< path
  int note_fd_ = -1;
  std::vector<std::string> saved_;  ///< lines of the note
};

/// Restores what runs that were killed together with their keepers have left at "performance"; a
/// sentence for each policy: "restored …" or "left …".
std::vector<std::string> restore_left_governors(const std::string& sysroot);

}  // namespace sthd::run
