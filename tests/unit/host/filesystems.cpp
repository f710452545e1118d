#include "filesystems.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <stdexcept>
#include <utility>

namespace sthd::test {
namespace {

namespace fs = std::filesystem;

fs::path new_folder() {
  std::string pattern = (fs::temp_directory_path() / "sthd-host-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
  return fs::canonical(pattern);
}

/// Runs a program quietly; true when it exits 0.
bool run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Mounts of this process are nobody else's, and end with it.
bool own_mount_namespace() {
  static const bool done = ::geteuid() == 0 && ::unshare(CLONE_NEWNS) == 0 &&
                           ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  if (!done) std::puts("not run: needs root");
  return done;
}

}  // namespace

Folder::Folder() : path_(new_folder()) {}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::optional<Mounted> Mounted::make(const std::string& filesystem, const std::string& options,
                                     unsigned megabytes) {
  if (!own_mount_namespace()) return std::nullopt;
  Mounted result;
  result.folder_ = new_folder();
  result.point_ = result.folder_ / "a b";  // mountinfo must escape it
  fs::create_directory(result.point_);
  if (filesystem == "tmpfs") {
    result.mounted_ = ::mount("none", result.point_.c_str(), "tmpfs", 0,
                              fmt::format("size={}m", megabytes).c_str()) == 0;
  } else {
    const std::string image = (result.folder_ / "image").string();
    { const File created(image, O_CREAT | O_RDWR); }
    fs::resize_file(image, std::uintmax_t{megabytes} << 20U);
    const std::string all = options.empty() ? "loop" : "loop," + options;
    result.mounted_ = run({"mkfs." + filesystem, "-q", image}) &&
                      run({"mount", "-o", all, image, result.point_.string()});
  }
  if (result.mounted_) return result;
  std::printf("not run: %s cannot be made and mounted here\n", filesystem.c_str());
  return std::nullopt;
}

std::optional<Mounted> Mounted::overlay(const fs::path& upper) {
  if (!own_mount_namespace()) return std::nullopt;
  Mounted result;
  result.folder_ = new_folder();
  result.point_ = result.folder_ / "merged";
  for (const auto& folder :
       {result.point_, result.folder_ / "lower", upper / "upper", upper / "work"}) {
    fs::create_directory(folder);
  }
  const std::string options = fmt::format("lowerdir={}/lower,upperdir={}/upper,workdir={}/work",
                                          result.folder_.string(), upper.string(), upper.string());
  result.mounted_ = ::mount("overlay", result.point_.c_str(), "overlay", 0, options.c_str()) == 0;
  if (result.mounted_) return result;
  std::puts("not run: overlay cannot be mounted here");
  return std::nullopt;
}

Mounted::Mounted(Mounted&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      point_(std::exchange(other.point_, {})),
      mounted_(std::exchange(other.mounted_, false)) {}

Mounted::~Mounted() {
  if (folder_.empty()) return;
  if (mounted_ && ::umount2(point_.c_str(), 0) != 0) ::umount2(point_.c_str(), MNT_DETACH);
  std::error_code ignored;
  fs::remove(folder_ / "image", ignored);
  fs::remove_all(folder_ / "lower", ignored);
  fs::remove(point_, ignored);  // never what is below it, should it still be mounted
  fs::remove(folder_, ignored);
}

File::File(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {
  if (fd_ < 0) throw std::runtime_error("open " + path.string());
}

File::~File() { ::close(fd_); }

void File::fill(std::size_t bytes) const {
  std::mt19937_64 random(1);  // NOLINT: the same every time is what is wanted
  std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
  for (auto& word : words) word = random();
  if (::pwrite(fd_, words.data(), bytes, 0) != static_cast<ssize_t>(bytes) || ::fsync(fd_) != 0) {
    throw std::runtime_error("filling a test file");
  }
}

}  // namespace sthd::test
