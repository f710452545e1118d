#include "kit/process/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "kit/process/program.hpp"
#include "support/catch.hpp"
#include "support/fake_context.hpp"

using namespace sthd;
using process::Command;
using process::Ended;

namespace {

/// A child that runs a few words of sh, which is at hand wherever tests run.
Command sh(const std::string& script) {
  Command command;
  command.executable = "/bin/sh";
  command.arguments = {"-c", script};
  return command;
}

Ended ran(const Command& command) {
  auto ended = process::run(command);
  INFO((ended ? "" : ended.error().message));
  REQUIRE(ended);
  return std::move(ended).value();
}

}  // namespace

TEST_CASE("A child's outputs and status come back", "[process][child]") {
  const Ended ended = ran(sh("echo out; echo err >&2; exit 3"));
  CHECK(ended.output == "out\n");
  CHECK(ended.errors == "err\n");
  CHECK(ended.status == 3);
  CHECK(ended.signal == 0);
  CHECK_FALSE(ended.succeeded());
  CHECK(ended.end_ns > ended.start_ns);
  CHECK(process::describe_end(ended) == "exited with status 3");
}

TEST_CASE("A child's signal is named", "[process][child]") {
  const Ended ended = ran(sh("kill -BUS $$"));
  CHECK(ended.signal == SIGBUS);
  CHECK_FALSE(ended.succeeded());
  CHECK(process::describe_end(ended) == "was ended by signal SIGBUS");
}

TEST_CASE("A child gets descriptors 0, 1 and 2 and no other", "[process][child]") {
  const int leak = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  REQUIRE(leak > 2);
  const Ended ended = ran(sh("ls /proc/$$/fd; :"));
  ::close(leak);
  CHECK(ended.output == "0\n1\n2\n");
}

TEST_CASE("A child's standard input is empty unless it is fed", "[process][child]") {
  CHECK(ran(sh("wc -c")).output == "0\n");
}

TEST_CASE("A child is fed through its standard input", "[process][child]") {
  constexpr std::size_t kPieces = 40;
  const std::vector<std::byte> piece(100'000, std::byte{'x'});
  std::size_t given = 0;
  Command command = sh("wc -c");
  command.feed = [&]() -> std::span<const std::byte> {
    if (given++ == kPieces) return {};
    return piece;
  };
  const Ended ended = ran(command);
  CHECK(ended.output == "4000000\n");
  CHECK(ended.fed == 4'000'000);
}

TEST_CASE("A child that stops reading neither ends us nor blocks us", "[process][child]") {
  const std::vector<std::byte> piece(100'000);
  Command command = sh("exec head -c 10");
  command.feed = [&]() -> std::span<const std::byte> { return piece; };
  const Ended ended = ran(command);
  CHECK(ended.succeeded());
  CHECK(ended.output.size() == 10);
  CHECK(ended.fed < 100'000);  // what is left in the pipe was not taken
}

TEST_CASE("A child's environment is ours alone", "[process][child]") {
  ::setenv("LD_STHD_TEST", "leaked", 1);
  const test::TempDir scratch;
  Command command;
  command.executable = "/usr/bin/env";
  command.scratch = scratch.path();
  const Ended ended = ran(command);
  ::unsetenv("LD_STHD_TEST");
  CHECK(ended.output ==
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nLC_ALL=C\nLANG=C\n"
        "HOME=" +
            scratch.path() + "\nTMPDIR=" + scratch.path() + "\n");
  CHECK(ran([&] {
          Command pwd = sh("pwd -P");
          pwd.scratch = scratch.path();
          return pwd;
        }())
            .output == scratch.path() + "\n");
}

TEST_CASE("A child has default dispositions and an empty mask", "[process][child]") {
  ::signal(SIGHUP, SIG_IGN);
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  Command command;
  command.executable = "/bin/grep";
  command.arguments = {"-E", "^Sig(Blk|Ign):", "/proc/self/status"};
  const Ended ended = ran(command);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGHUP, SIG_DFL);
  CHECK(ended.output == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_CASE("A child stays in our process group unless it gets its own", "[process][child]") {
  const std::string script = "cut -d' ' -f5 /proc/$$/stat";
  CHECK(ran(sh(script)).output == std::to_string(::getpgrp()) + "\n");
  Command own = sh("cut -d' ' -f1,5 /proc/$$/stat");
  own.own_group = true;
  const std::string out = ran(own).output;
  const auto space = out.find(' ');
  REQUIRE(space != std::string::npos);
  CHECK(out.substr(0, space) + "\n" == out.substr(space + 1));
}

TEST_CASE("Standard error is drained and kept at both ends", "[process][child]") {
  const Ended ended = ran(
      sh("echo first >&2; head -c 2000000 /dev/zero | tr '\\0' x >&2; echo last >&2; echo out"));
  CHECK(ended.output == "out\n");
  CHECK(ended.errors.substr(0, 7) == "first\nx");
  CHECK(ended.errors.substr(ended.errors.size() - 6) == "xlast\n");
  CHECK(ended.errors.size() < 140'000);
  CHECK(ended.errors.find("\n[1868939 bytes left out]\n") != std::string::npos);
}

TEST_CASE("Standard output beyond the limit is drained and dropped", "[process][child]") {
  Command command = sh("head -c 300000 /dev/zero | tr '\\0' x");
  command.output_limit = 1000;
  const Ended ended = ran(command);
  CHECK(ended.output == std::string(1000, 'x'));
  CHECK(ended.output_cut);
  CHECK(ended.succeeded());
}

TEST_CASE("Lines end at newline or carriage return", "[process][child]") {
  std::vector<std::string> lines;
  Command command = sh("printf 'one\\rtwo\\n\\nthree'");
  command.on_line = [&](std::string_view line) { lines.emplace_back(line); };
  ran(command);
  CHECK(lines == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("A cancelled child gets the stop signal first", "[process][child]") {
  Command command =
      sh("trap 'echo stopping; exit 7' INT; echo ready; while :; do sleep 0.05; done");
  bool ready = false;
  command.on_line = [&](std::string_view line) { ready = ready || line == "ready"; };
  command.cancelled = [&] { return ready; };
  command.stop_signal = SIGINT;
  const Ended ended = ran(command);
  CHECK(ended.cancelled);
  CHECK(ended.status == 7);
  CHECK(ended.output == "ready\nstopping\n");
}

TEST_CASE("A child that ignores the stop signal is killed after its grace", "[process][child]") {
  Command command = sh("trap '' INT TERM; echo ready; exec sleep 60");
  bool ready = false;
  command.on_line = [&](std::string_view) { ready = true; };
  command.cancelled = [&] { return ready; };
  command.grace_ns = 50 * kMillisecond;
  const Ended ended = ran(command);
  CHECK(ended.cancelled);
  CHECK(ended.signal == SIGKILL);
}

TEST_CASE("A late child is stopped", "[process][child]") {
  Command command = sh("exec sleep 60");
  command.deadline_ns = 100 * kMillisecond;
  const Ended ended = ran(command);
  CHECK(ended.late);
  CHECK_FALSE(ended.cancelled);
  CHECK(process::describe_end(ended) == "did not end in time and was stopped");
}

TEST_CASE("A grandchild that holds the pipes open does not hold us", "[process][child]") {
  Command command = sh("sleep 60 & echo $!");
  const Ended ended = ran(command);
  CHECK(ended.succeeded());
  ::kill(std::stoi(ended.output), SIGKILL);
}

TEST_CASE("A program that cannot be started is an error", "[process][child]") {
  const test::TempDir dir;
  Command command;
  command.executable = dir.path() + "/nothing";
  const auto missing = process::run(command);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message == dir.path() +
                                       "/nothing could not be started: No such file or directory "
                                       "(ENOENT)");
  CHECK(missing.error().system_errno == ENOENT);
  command.executable = "sh";
  const auto relative = process::run(command);
  REQUIRE_FALSE(relative);
  CHECK(relative.error().message == "\"sh\" is no absolute path of a program");
}

TEST_CASE("A child dies with the process that started it", "[process][child]") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t middle = ::fork();
  if (middle == 0) {
    Command command = sh("echo $$; exec sleep 60");
    command.on_line = [&](std::string_view line) {
      [[maybe_unused]] const auto n = ::write(ends[1], line.data(), line.size());
      ::raise(SIGKILL);  // the starter ends without a chance to clean up
    };
    static_cast<void>(process::run(command));
    ::_exit(0);
  }
  ::close(ends[1]);
  std::array<char, 32> text{};
  REQUIRE(::read(ends[0], text.data(), text.size() - 1) > 0);
  ::close(ends[0]);
  const pid_t child = std::stoi(text.data());
  bool gone = false;
  for (int i = 0; i < 500 && !gone; ++i) {  // until init has reaped it, or it is a zombie
    const std::string stat = test::slurp("/proc/" + std::to_string(child) + "/stat");
    gone = stat.empty() || stat.find(") Z ") != std::string::npos;
    ::usleep(10'000);
  }
  CHECK(gone);
}

TEST_CASE("Programs are looked for in absolute folders of PATH only", "[process][program]") {
  const test::TempDir dir;
  dir.put("sthd-tool", "#!/bin/sh\n");
  const std::string tool = dir.path() + "/sthd-tool";
  REQUIRE(::chmod(tool.c_str(), 0755) == 0);
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  {
    const test::PathOverride path(".::relative");
    const auto found = process::find_program("sthd-tool");
    REQUIRE_FALSE(found);
    CHECK(found.error().message ==
          "sthd-tool was not found in PATH (.::relative); install sthd-tool");
    CHECK(found.error().code == ErrorCode::unavailable);
  }
  std::filesystem::current_path(before);
  const test::PathOverride path(".:" + dir.path());
  const auto found = process::find_program("sthd-tool");
  REQUIRE(found);
  CHECK(*found == tool);
}

TEST_CASE("Root runs only root's programs that others cannot write", "[process][program]") {
  if (::geteuid() != 0) return;
  const test::TempDir dir;
  dir.put("sthd-tool", "#!/bin/sh\n");
  const std::string tool = dir.path() + "/sthd-tool";
  const test::PathOverride path(dir.path());
  REQUIRE(::chmod(tool.c_str(), 0757) == 0);
  const auto writable = process::find_program("sthd-tool");
  REQUIRE_FALSE(writable);
  CHECK(writable.error().message == tool + ": everybody can write to it, so root does not run it");
  REQUIRE(::chmod(tool.c_str(), 0755) == 0);
  REQUIRE(::chown(tool.c_str(), 65534, 65534) == 0);
  const auto foreign = process::find_program("sthd-tool");
  REQUIRE_FALSE(foreign);
  CHECK(foreign.error().message ==
        tool + ": it belongs to user 65534, and root runs only root's programs");
}

TEST_CASE("An errno is found by its description, the longest one", "[process][program]") {
  CHECK(process::errno_in("dd: error writing 'x': No space left on device") == ENOSPC);
  CHECK(process::errno_in("x: Input/output error") == EIO);
  CHECK(process::errno_in("Disk quota exceeded\n") == EDQUOT);
  CHECK(process::errno_in("all is well") == 0);
}

TEST_CASE("A scratch directory is private and leaves nothing", "[process][program]") {
  std::string path;
  {
    const process::ScratchDirectory scratch;
    path = scratch.path();
    struct stat info {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0700);
    std::ofstream(path + "/left") << "over";
  }
  CHECK_FALSE(std::filesystem::exists(path));
}
