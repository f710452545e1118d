#include "runner/run/scratch.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace sthd::run {

Scratch::Scratch() {
  const char* folder = ::secure_getenv("TMPDIR");
  std::string pattern = folder != nullptr && folder[0] == '/' ? folder : "/tmp";
  pattern += "/speedtest-hd-XXXXXX";
  if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

Scratch::~Scratch() { remove_scratch(path_); }

void remove_scratch(const std::string& path) {
  if (path.empty()) return;
  // A program that is just being killed may still add a file.
  constexpr int kAttempts = 5;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::error_code code;
    std::filesystem::remove_all(path, code);
    if (!code) return;
    ::usleep(20'000);
  }
}

}  // namespace sthd::run
