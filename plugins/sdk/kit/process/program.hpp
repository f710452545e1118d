#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sthd/backend.hpp"
#include "sthd/outcome.hpp"

namespace sthd::process {

/// The absolute path of a program in this process's PATH. Empty and relative entries are ignored;
/// as root only programs that root owns and others cannot write are taken. Error `unavailable` says
/// where it was looked for.
[[nodiscard]] Outcome<std::string> find_program(std::string_view name);

/// A private directory (0700) below TMPDIR or /tmp, removed with its content on destruction.
class ScratchDirectory {
 public:
  /// Throws std::runtime_error when it cannot be made.
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// The running job's folder for temporary files; Error where the runner has none, so that nothing
/// is ever written below "/".
[[nodiscard]] Outcome<std::string> scratch_of(const RunContext& context);

/// The first `limit` bytes of a file; empty when it cannot be read.
[[nodiscard]] std::string read_file(const std::string& path, std::size_t limit);

/// Size of an open file in bytes; 0 when it cannot be had.
[[nodiscard]] std::uint64_t file_size(int fd);

/// The errno whose English description occurs in `text` (as programs print it under LC_ALL=C), the
/// longest if there are several; 0 when there is none.
[[nodiscard]] int errno_in(std::string_view text);

}  // namespace sthd::process
