#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "sandbox.hpp"
#include "support/catch.hpp"

namespace fs = std::filesystem;
using sthd::test::Sandbox;
using strings = std::vector<std::string>;

namespace {

constexpr uid_t kStranger = 4321;

bool needs_root() {
  if (::geteuid() == 0) return true;
  std::puts("not run: needs root");
  return false;
}

/// Who may own a plugin, as a refusal names them.
std::string trusted() {
  std::string text = "root";
  struct stat binary {};
  REQUIRE(::stat("/proc/self/exe", &binary) == 0);
  if (::geteuid() != 0) text += fmt::format(", you (user {})", ::geteuid());
  if (binary.st_uid != 0 && binary.st_uid != ::geteuid()) {
    text += fmt::format(", the owner of speedtest-hd (user {})", binary.st_uid);
  }
  return text;
}

}  // namespace

TEST_CASE("Gate 0: a plugin that everybody may write is refused and never run", "[plugin][gate0]") {
  const Sandbox sandbox;
  fs::permissions(sandbox.add("good"), fs::perms(0757));
  CHECK(sandbox.refusals(sandbox.load()) ==
        strings{"0: DIR/good.so: it may be written by everybody (mode 0757), and only its owner "
                "may: run chmod go-w DIR/good.so"});
  CHECK(sandbox.traces().empty());
}

TEST_CASE("Gate 0: a plugin that its group may write is refused and never run", "[plugin][gate0]") {
  const Sandbox sandbox;
  fs::permissions(sandbox.add("good"), fs::perms(0775));
  CHECK(sandbox.refusals(sandbox.load()) ==
        strings{"0: DIR/good.so: it may be written by its group (mode 0775), and only its owner "
                "may: run chmod go-w DIR/good.so"});
  CHECK(sandbox.traces().empty());
}

TEST_CASE("Gate 0: a plugin in a folder that others may write is refused and never run",
          "[plugin][gate0]") {
  const Sandbox sandbox;
  sandbox.add("good");
  const auto [mode, who] = GENERATE(
      table<int, std::string>({{01777, "everybody"}, {0777, "everybody"}, {0775, "its group"}}));
  REQUIRE(::chmod(sandbox.plugins().c_str(), static_cast<mode_t>(mode)) == 0);
  CHECK(sandbox.refusals(sandbox.load()) ==
        strings{fmt::format("0: DIR/good.so: its folder may be written by {} (mode {:04o}), and "
                            "only its owner may: run chmod go-w DIR",
                            who, mode)});
  CHECK(sandbox.traces().empty());
}

TEST_CASE("Gate 0: what is no regular file is refused, without being opened", "[plugin][gate0]") {
  const Sandbox sandbox;
  SECTION("a symbolic link") {
    Sandbox::copy("good", sandbox.plugins().parent_path() / "elsewhere.so");
    fs::create_symlink("../elsewhere.so", sandbox.file("link.so"));
    CHECK(sandbox.refusals(sandbox.load()) ==
          strings{"0: DIR/link.so: it is a symbolic link, and a plugin must be a regular file: put "
                  "the file itself here"});
  }
  SECTION("a directory") {
    fs::create_directory(sandbox.file("folder.so"));
    CHECK(sandbox.refusals(sandbox.load()) ==
          strings{"0: DIR/folder.so: it is a directory, and a plugin must be a regular file: "
                  "remove it or give it another name"});
  }
  SECTION("a FIFO, which would block whoever opens it") {
    REQUIRE(::mkfifo(sandbox.file("pipe.so").c_str(), 0644) == 0);
    CHECK(sandbox.refusals(sandbox.load()) ==
          strings{"0: DIR/pipe.so: it is a FIFO, and a plugin must be a regular file: remove it or "
                  "give it another name"});
  }
  CHECK(sandbox.traces().empty());
}

TEST_CASE("Gate 0: a folder that is no absolute path is refused", "[plugin][gate0]") {
  const sthd::host::PluginHost host({{"relative/plugins", false}});
  REQUIRE(host.refusals().size() == 1);
  CHECK(host.refusals()[0].gate == 0);
  CHECK(host.refusals()[0].sentence ==
        "relative/plugins: it is a relative path, and a plugin folder's must be absolute: begin it "
        "with \"/\"");
}

TEST_CASE("Gate 0: a folder that cannot be read is refused aloud", "[plugin][gate0]") {
  const Sandbox sandbox;
  const sthd::host::PluginHost host({{sandbox.plugins() / "nowhere", false}});
  CHECK(sandbox.refusals(host) ==
        strings{"0: DIR/nowhere: it cannot be read as a plugin folder (No such file or directory), "
                "and it must: check the path and its permissions"});
}

TEST_CASE("Gate 0: a plugin or folder of another user is refused and never run",
          "[plugin][gate0][root]") {
  if (!needs_root()) return;
  const Sandbox sandbox;
  const auto file = sandbox.add("good");
  SECTION("the file") {
    REQUIRE(::chown(file.c_str(), kStranger, kStranger) == 0);
    CHECK(sandbox.refusals(sandbox.load()) ==
          strings{fmt::format("0: DIR/good.so: it belongs to user 4321, and only {} may own it: if "
                              "you trust it, run chown on DIR/good.so",
                              trusted())});
  }
  SECTION("the folder") {
    REQUIRE(::chown(sandbox.plugins().c_str(), kStranger, kStranger) == 0);
    CHECK(sandbox.refusals(sandbox.load()) ==
          strings{fmt::format("0: DIR/good.so: its folder belongs to user 4321, and only {} may "
                              "own it: if you trust it, run chown on DIR",
                              trusted())});
  }
  CHECK(sandbox.traces().empty());
}

// Run by the test below, in a copy of this program that belongs to the user of the plugins.
TEST_CASE("Plugins in the folder of STHD_TEST_OWNED load", "[.owned]") {
  const char* folder = std::getenv("STHD_TEST_OWNED");
  REQUIRE(folder != nullptr);
  const sthd::host::PluginHost host({{folder, true}});
  REQUIRE(host.refusals().empty());
  REQUIRE(host.formatters().size() == 1);
}

TEST_CASE("Gate 0: root runs a user's own clone: plugins of the binary's owner load",
          "[plugin][gate0][root]") {
  if (!needs_root()) return;
  const Sandbox sandbox;
  const auto file = sandbox.add("good");
  const auto binary = sandbox.plugins().parent_path() / "binary";
  fs::copy_file("/proc/self/exe", binary);
  for (const auto& path : {file, binary, sandbox.plugins()}) {
    REQUIRE(::chown(path.c_str(), kStranger, kStranger) == 0);
  }
  REQUIRE(::setenv("STHD_TEST_OWNED", sandbox.plugins().c_str(), 1) == 0);
  std::string program = binary.string();
  std::string tag = "[.owned]";
  std::string out = "--out=/dev/null";
  const std::array<char*, 4> arguments{program.data(), tag.data(), out.data(), nullptr};
  pid_t child = 0;
  REQUIRE(::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) == 0);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(sandbox.traces() == strings{"good"});
}
