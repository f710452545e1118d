#include <algorithm>

#include "support.hpp"

using namespace profile_test;
namespace sp = sthd::profile;

namespace {

std::vector<fs::path> profiles_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The faults of a file as a user sees them, without the folder; "" when there are none.
std::string faults_of(const fs::path& file) {
  const auto loaded = sp::load(file.string(), {kInstalled});
  std::string text;
  if (const auto* faults = std::get_if<Diagnostics>(&loaded)) {
    text = sp::render(*faults);
  } else {
    const auto expanded = sp::expand(std::get<Profile>(loaded), {});
    if (const auto* found = std::get_if<Diagnostics>(&expanded)) text = sp::render(*found);
  }
  const std::string prefix = file.parent_path().string() + "/";
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
    text.erase(at, prefix.size());
  }
  return text;
}

}  // namespace

TEST_CASE("Diagnostics read as approved", "[profile][golden]") {
  const auto files = profiles_in(kSource / "tests/golden/diagnostics");
  REQUIRE(files.size() >= 14);
  for (const fs::path& file : files) {
    const std::string received = faults_of(file);
    INFO(file.string());
    CHECK_FALSE(received.empty());
    check_golden(fs::path(file).replace_extension(".expected.txt"), received);
  }
}

TEST_CASE("A mistyped axis reads to the letter", "[profile][golden]") {
  const Folder folder;
  const std::string path =
      folder.write("profiles/team.toml", R"(#:schema ../schemas/profile.v1.schema.json
schema  = 1
name    = "team"
title   = "A team's profile"
extends = "base"

[[job]]
id         = "sync4k"
op         = "write"
pattern    = "random"
block_size = "4KiB"
label      = "T{threads}"
[job.matrix]
thread = [1, 4, 8]
)");
  const auto loaded = sp::load(path, {kInstalled});
  CHECK(folder.scrub(sp::render(std::get<Diagnostics>(loaded))) ==
        R"(profiles/team.toml:14:1: unknown key "thread" in [job.matrix]
   14 | thread = [1, 4, 8]
      | ^~~~~~ did you mean "threads"?
)");
}

TEST_CASE("Every hostile profile is refused, in words that are safe to print",
          "[profile][hostile][golden]") {
  const auto files = profiles_in(kSource / "tests/fixtures/profiles/hostile");
  REQUIRE(files.size() >= 60);
  std::string all;
  for (const fs::path& file : files) {
    const std::string received = faults_of(file);
    INFO(file.string());
    CHECK_FALSE(received.empty());
    CHECK(received.size() < 20'000);
    CHECK(std::none_of(received.begin(), received.end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f;
    }));
    CHECK(received.find("\xe2\x80\xae") == std::string::npos);
    all += received;
  }
  check_golden(kSource / "tests/golden/diagnostics/hostile.expected.txt", all);
}

TEST_CASE("A cut list of faults says so", "[profile][diagnostics]") {
  const std::string text = faults_of(kSource / "tests/fixtures/profiles/hostile/many-unknown.toml");
  CHECK(text.ends_with("many-unknown.toml: only the first 50 faults are shown\n"));
}
