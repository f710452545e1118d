#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runner/profile/load.hpp"
#include "runner/profile/profile.hpp"
#include "support/catch.hpp"

namespace profile_test {

namespace fs = std::filesystem;
using sthd::Job;
using sthd::profile::Diagnostics;
using sthd::profile::Overrides;
using sthd::profile::Profile;
using Strings = std::vector<std::string>;

inline const fs::path kSource = STHD_SOURCE_DIR;
inline const fs::path kInstalled = kSource / "profiles";

/// A folder of profiles that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "sthd-profile-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }
  /// `text` without this folder's path.
  [[nodiscard]] std::string scrub(std::string text) const {
    const std::string prefix = path_.string() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
      text.erase(at, prefix.size());
    }
    return text;
  }

 private:
  fs::path path_;
};

inline std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What every profile needs and most tests do not care about.
inline std::string whole(const std::string& jobs, const std::string& defaults = {}) {
  return "schema = 1\nname = \"t\"\n[defaults]\nengine = [\"io_uring\", \"psync\"]\n" + defaults +
         "[[column]]\nid = \"iops\"\ntitle = \"IOPS\"\nmetric = \"iops\"\nop = \"read\"\n" + jobs;
}

/// The same with op, pattern and block size given.
inline std::string jobs(const std::string& text) {
  return whole(text, "op = \"read\"\npattern = \"random\"\nblock_size = \"4KiB\"\n");
}

/// The jobs of a profile's text; the rendered faults as an exception.
inline std::vector<Job> expand(const std::string& text, const Overrides& overrides = {}) {
  const Folder folder;
  const auto profile = sthd::profile::load(folder.write("t.toml", text), {kInstalled});
  if (const auto* faults = std::get_if<Diagnostics>(&profile)) {
    throw std::runtime_error(folder.scrub(sthd::profile::render(*faults)));
  }
  auto result = sthd::profile::expand(std::get<Profile>(profile), overrides);
  if (const auto* faults = std::get_if<Diagnostics>(&result)) {
    throw std::runtime_error(folder.scrub(sthd::profile::render(*faults)));
  }
  return std::get<std::vector<Job>>(std::move(result));
}

/// The rendered faults of a profile's text, or "" when there are none.
inline std::string faults(const std::string& text, const Overrides& overrides = {}) {
  try {
    expand(text, overrides);
    return {};
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}

inline Strings labels(const std::vector<Job>& jobs) {
  Strings result;
  for (const Job& job : jobs) result.push_back(job.label);
  return result;
}

inline Strings ids(const std::vector<Job>& jobs) {
  Strings result;
  for (const Job& job : jobs) result.push_back(job.id);
  return result;
}

/// Compares with a golden file; STHD_APPROVE=1 rewrites it.
inline void check_golden(const fs::path& golden, const std::string& received) {
  if (const char* approve = std::getenv("STHD_APPROVE"); approve != nullptr && *approve == '1') {
    std::ofstream(golden, std::ios::binary) << received;
  }
  INFO(golden.string() << " (STHD_APPROVE=1 rewrites it)");
  CHECK(received == read_text(golden));
}

}  // namespace profile_test
