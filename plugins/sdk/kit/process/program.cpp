#include "kit/process/program.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "sthd/text.hpp"

namespace sthd::process {
namespace {

/// Why `path` is not to be run by this user; empty = it may be. `exists` says whether it is there.
std::string objection(const std::string& path, bool& exists) {
  struct stat info {};
  exists = ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  if (!exists) return "it is not there";
  if (::access(path.c_str(), X_OK) != 0) return "it is not executable";
  if (::geteuid() != 0) return {};
  if (info.st_uid != 0) {
    return fmt::format("it belongs to user {}, and root runs only root's programs", info.st_uid);
  }
  if ((info.st_mode & S_IWOTH) != 0) return "everybody can write to it, so root does not run it";
  return {};
}

}  // namespace

Outcome<std::string> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  const std::string_view all =
      path != nullptr ? path : "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  std::string refused;
  for (std::string_view rest = all; !rest.empty();) {
    const auto colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
    if (folder.empty() || folder.front() != '/') continue;
    std::string candidate = fmt::format("{}/{}", folder, name);
    bool exists = false;
    const std::string why = objection(candidate, exists);
    if (why.empty()) return candidate;
    if (exists && refused.empty()) refused = fmt::format("{}: {}", display(candidate), why);
  }
  if (!refused.empty()) return Error{ErrorCode::unavailable, refused, 0};
  return Error{ErrorCode::unavailable,
               fmt::format("{} was not found in PATH ({}); install {}", name, display(all), name),
               0};
}

ScratchDirectory::ScratchDirectory() {
  const char* base = std::getenv("TMPDIR");
  path_ =
      fmt::format("{}/speedtest-hd-probe-XXXXXX", base != nullptr && *base == '/' ? base : "/tmp");
  if (::mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error(system_error("making " + display(path_), errno).message);
  }
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Outcome<std::string> scratch_of(const RunContext& context) {
  if (!context.scratch().empty()) return std::string(context.scratch());
  return Error{ErrorCode::failed,
               "there is no folder for temporary files; set TMPDIR to one that can be written", 0};
}

std::string read_file(const std::string& path, std::size_t limit) {
  std::ifstream in(path, std::ios::binary);
  std::string text;
  std::array<char, 64UL * 1024> buffer;
  while (text.size() < limit && in) {
    in.read(buffer.data(),
            static_cast<std::streamsize>(std::min(buffer.size(), limit - text.size())));
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

std::uint64_t file_size(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

int errno_in(std::string_view text) {
  constexpr int kLast = 133;  // EHWPOISON
  int found = 0;
  std::size_t longest = 0;
  for (int code = 1; code <= kLast; ++code) {
    const char* words = ::strerrordesc_np(code);
    if (words == nullptr || std::strlen(words) <= longest) continue;
    if (text.find(words) == std::string_view::npos) continue;
    found = code;
    longest = std::strlen(words);
  }
  return found;
}

}  // namespace sthd::process
