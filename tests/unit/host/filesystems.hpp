#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sthd::test {

/// A private temporary folder, removed with everything in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A filesystem of its own, mounted in this process's own mount namespace; gone when this goes, at
/// the latest when the process ends.
class Mounted {
 public:
  /// "tmpfs", or "ext4", "xfs", "btrfs" made on an image of `megabytes` behind a loop device. Empty
  /// where that cannot be had here; the reason is printed ("not run: needs root").
  static std::optional<Mounted> make(const std::string& filesystem, const std::string& options = {},
                                     unsigned megabytes = 64);
  /// An overlay whose upper layer is in `upper`.
  static std::optional<Mounted> overlay(const std::filesystem::path& upper);
  ~Mounted();
  Mounted(Mounted&& other) noexcept;
  Mounted& operator=(Mounted&&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return point_; }

 private:
  Mounted() = default;
  std::filesystem::path folder_;  ///< holds the image and the mount point
  std::filesystem::path point_;
  bool mounted_ = false;
};

/// A descriptor that closes itself.
class File {
 public:
  File(const std::filesystem::path& path, int flags);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int fd() const { return fd_; }
  /// Writes `bytes` of text that does not compress, and syncs it.
  void fill(std::size_t bytes) const;

 private:
  int fd_;
};

}  // namespace sthd::test
