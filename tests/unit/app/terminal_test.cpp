#include "runner/app/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <limits>
#include <thread>

#include "sthd/text.hpp"
#include "sthd/units.hpp"
#include "support/catch.hpp"

using sthd::kSecond;
using sthd::app::progress_line;
using sthd::app::progress_text;
using sthd::app::ProgressView;
using sthd::app::Terminal;

namespace {

ProgressView view() {
  return {.job = 2,
          .jobs = 8,
          .label = "RND4K Q32T1 read",
          .phase = "measure",
          .fraction = 0.5,
          .eta_seconds = 64.6,
          .megabytes_per_second = 564.12,
          .iops = 137728.4};
}

/// Both ends of a pipe or a pseudo-terminal; what the Terminal writes is read back whole.
struct Ends {
  int read_end = -1;
  int write_end = -1;
  ~Ends() { close_both(); }
  void close_both() {
    for (int* fd : {&read_end, &write_end}) {
      if (*fd >= 0) ::close(*fd);
      *fd = -1;
    }
  }
  std::string text() {
    std::string all;
    std::array<char, 4096> piece{};
    ::fcntl(read_end, F_SETFL, O_NONBLOCK);
    for (ssize_t n = 0; (n = ::read(read_end, piece.data(), piece.size())) > 0;) {
      all.append(piece.data(), static_cast<std::size_t>(n));
    }
    return all;
  }
};

Ends pipe_ends() {
  std::array<int, 2> fds{};
  REQUIRE(::pipe2(fds.data(), O_CLOEXEC) == 0);
  return {fds[0], fds[1]};
}

Ends pty_ends(unsigned short columns) {
  int master = -1;
  int slave = -1;
  termios raw{};
  ::cfmakeraw(&raw);
  winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  REQUIRE(::openpty(&master, &slave, nullptr, &raw, &size) == 0);
  return {master, slave};
}

Terminal::Facts facts(const Ends& err, bool tty) {
  Terminal::Facts facts;
  facts.stderr_is_tty = tty;
  facts.stderr_fd = err.write_end;
  facts.stdout_fd = err.write_end;
  return facts;
}

}  // namespace

TEST_CASE("The live line says where the run is", "[app][terminal]") {
  CHECK(progress_text(view(), 200) ==
        "job 2 of 8  RND4K Q32T1 read  measure  [##########----------]  564.1 MB/s  137728 IOPS  "
        "ETA 1m5s");
}

TEST_CASE("A narrow live line loses what matters least, the label last", "[app][terminal]") {
  const std::vector<std::pair<std::size_t, std::string>> cases{
      {95,
       "job 2 of 8  RND4K Q32T1 read  [##########----------]  564.1 MB/s  137728 IOPS  ETA 1m5s"},
      {80, "job 2 of 8  RND4K Q32T1 read  564.1 MB/s  137728 IOPS  ETA 1m5s"},
      {60, "job 2 of 8  RND4K Q32T1 read  564.1 MB/s  ETA 1m5s"},
      {40, "job 2 of 8  RND4K Q32T1 read  ETA 1m5s"},
      {30, "job 2 of 8  RND4K Q32T1 read"},
      {20, "job 2 of 8  RND4K..."},
      {2, ".."},
      {0, ""},
  };
  for (const auto& [width, expected] : cases) CHECK(progress_text(view(), width) == expected);
}

TEST_CASE("The live p99 stands beside the rates and goes before them", "[app][terminal]") {
  auto now = view();
  now.p99_us = 123.4;
  CHECK(progress_text(now, 200) ==
        "job 2 of 8  RND4K Q32T1 read  measure  [##########----------]  564.1 MB/s  137728 IOPS  "
        "p99 123 us  ETA 1m5s");
  CHECK(progress_text(now, 79) ==
        "job 2 of 8  RND4K Q32T1 read  564.1 MB/s  137728 IOPS  p99 123 us  ETA 1m5s");
  CHECK(progress_text(now, 70) ==
        "job 2 of 8  RND4K Q32T1 read  564.1 MB/s  137728 IOPS  ETA 1m5s");
  CHECK(progress_line(now) ==
        "job 2 of 8, RND4K Q32T1 read, measure, 50 %, 564.1 MB/s, 137728 IOPS, p99 123 us, "
        "ETA 1m5s");
  now.p99_us = 1.84;
  CHECK_THAT(progress_line(now), Catch::Contains(", p99 1.8 us, "));
}

TEST_CASE("No width is ever exceeded, whatever the label", "[app][terminal]") {
  auto wide = view();
  wide.p99_us = 1e15;
  for (const std::string label : {"日本語の試験", "e\u0301e\u0301e\u0301e\u0301", "\x1b]0;x\a\r\n",
                                  "\xff\xfe", "", "\u202egpj"}) {
    wide.label = label;
    for (std::size_t width = 0; width < 130; ++width) {
      const auto text = progress_text(wide, width);
      CHECK(sthd::display_width(text) <= width);
      CHECK(text == sthd::display(text));
    }
  }
}

TEST_CASE("What is not known is not shown", "[app][terminal]") {
  CHECK(progress_text({.label = "laying out the test file"}, 80) == "laying out the test file");
  auto odd = view();
  odd.phase.clear();
  odd.fraction = std::numeric_limits<double>::quiet_NaN();
  odd.iops = std::numeric_limits<double>::infinity();
  odd.megabytes_per_second = -1;
  odd.eta_seconds = 1e300;
  CHECK(progress_text(odd, 80) ==
        "job 2 of 8  RND4K Q32T1 read  ETA " + sthd::human_duration(sthd::kMaxDuration));
  odd.fraction = 7.0;
  CHECK_THAT(progress_text(odd, 80), Catch::Contains("[####################]"));
}

TEST_CASE("A log line has the same facts without a bar", "[app][terminal]") {
  CHECK(progress_line(view()) ==
        "job 2 of 8, RND4K Q32T1 read, measure, 50 %, 564.1 MB/s, 137728 IOPS, ETA 1m5s");
}

TEST_CASE("On a terminal the line is redrawn in place and wiped before other text",
          "[app][terminal]") {
  auto ends = pty_ends(31);
  Terminal terminal(facts(ends, true));
  terminal.progress(view(), 0);
  terminal.progress(view(), kSecond / 10);
  auto next = view();
  next.job = 3;
  terminal.progress(next, kSecond / 5);
  terminal.note("done\nand more");
  terminal.wipe();
  CHECK(ends.text() ==
        "\r\x1b[Kjob 2 of 8  RND4K Q32T1 read"
        "\r\x1b[Kjob 3 of 8  RND4K Q32T1 read"
        "\r\x1b[Kdone\nand more\n");
}

TEST_CASE("A live line of parts has those that fit, and only a terminal has it",
          "[app][terminal]") {
  const std::vector<std::string> parts{"1.0 MB/s", "20 IOPS\x1b", "depth 1.0", "x"};
  auto ends = pty_ends(24);
  {
    Terminal terminal(facts(ends, true));
    terminal.live(parts);
    terminal.live(parts);
  }
  CHECK(ends.text() == "\r\x1b[K1.0 MB/s  20 IOPS\\x1b\r\x1b[K");
  auto pipe = pipe_ends();
  Terminal terminal(facts(pipe, false));
  terminal.live(parts);
  CHECK(pipe.text().empty());
}

TEST_CASE("A terminal of unknown width counts as 80 columns", "[app][terminal]") {
  auto ends = pty_ends(0);
  {
    Terminal terminal(facts(ends, true));
    terminal.progress(view(), 0);
  }
  CHECK(ends.text() == "\r\x1b[K" + progress_text(view(), 79) + "\r\x1b[K");
}

TEST_CASE("Elsewhere a plain line comes every five seconds", "[app][terminal]") {
  const bool tty = GENERATE(false, true);  // a dumb terminal is no better than a log
  auto ends = pipe_ends();
  auto plain = facts(ends, tty);
  plain.dumb = tty;
  Terminal terminal(plain);
  for (std::uint64_t tenth = 0; tenth <= 100; ++tenth) {
    auto now = view();
    now.job = tenth;
    terminal.progress(now, 7 * kSecond + tenth * kSecond / 10);
  }
  const auto rest = progress_line(view()).substr(std::string("job 2").size()) + "\n";
  CHECK(ends.text() == "job 0" + rest + "job 50" + rest + "job 100" + rest);
}

TEST_CASE("Quiet leaves errors only", "[app][terminal]") {
  auto ends = pipe_ends();
  auto quiet = facts(ends, true);
  quiet.quiet = true;
  Terminal terminal(quiet);
  terminal.progress(view(), 0);
  terminal.note("a note");
  terminal.verbose("more");
  terminal.error("the target is full");
  terminal.faults("a.toml:1:1: unknown key\n  1 | x\n");
  CHECK(ends.text() == "speedtest-hd: the target is full\na.toml:1:1: unknown key\n  1 | x\n");
}

TEST_CASE("Colour appears only where it is wanted", "[app][terminal]") {
  auto ends = pipe_ends();
  auto coloured = facts(ends, false);
  coloured.colour = true;
  Terminal(coloured).error("no");
  CHECK(ends.text() == "\x1b[31mspeedtest-hd: \x1b[0mno\n");
}

TEST_CASE("Notes and errors cannot carry control bytes", "[app][terminal]") {
  auto ends = pipe_ends();
  Terminal terminal(facts(ends, false));
  terminal.note("a\x1b]0;x\a\nb\r\n");
  terminal.error("c\u202e");
  CHECK(ends.text() == "a\\x1b]0;x\\x07\nb\\x0d\nspeedtest-hd: c\\u202e\n");
}

TEST_CASE("Output larger than a pipe arrives whole, also when the pipe does not block",
          "[app][terminal]") {
  const bool blocking = GENERATE(true, false);
  auto ends = pipe_ends();
  if (!blocking) REQUIRE(::fcntl(ends.write_end, F_SETFL, O_NONBLOCK) == 0);
  std::string text;
  while (text.size() < 300'000) text += fmt::format("{},", text.size());
  std::string received;
  std::thread reader([&] {
    std::array<char, 1000> piece{};
    for (ssize_t n = 0; (n = ::read(ends.read_end, piece.data(), piece.size())) > 0;) {
      received.append(piece.data(), static_cast<std::size_t>(n));
    }
  });
  Terminal terminal(facts(ends, false));
  const bool written = terminal.output(text);
  ::close(std::exchange(ends.write_end, -1));
  reader.join();
  CHECK(written);
  CHECK(received == text);
}

TEST_CASE("Output that cannot be written is reported", "[app][terminal]") {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  auto ends = pipe_ends();
  ::close(std::exchange(ends.read_end, -1));
  Terminal broken(facts(ends, false));
  CHECK_FALSE(broken.output("text"));

  Terminal::Facts full;
  full.stdout_fd = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full.stdout_fd >= 0);
  CHECK_FALSE(Terminal(full).output("text"));
  CHECK(Terminal(full).output(""));
  ::close(full.stdout_fd);

  Terminal::Facts closed;
  closed.stdout_fd = -1;
  CHECK_FALSE(Terminal(closed).output("text"));
  std::signal(SIGPIPE, before);
}

TEST_CASE("The process's environment decides colour and kind of terminal", "[app][terminal]") {
  auto ends = pty_ends(80);
  const int saved = ::dup(STDERR_FILENO);
  ::dup2(ends.write_end, STDERR_FILENO);
  const auto with = [](const char* term, const char* no_colour) {
    term != nullptr ? ::setenv("TERM", term, 1) : ::unsetenv("TERM");
    no_colour != nullptr ? ::setenv("NO_COLOR", no_colour, 1) : ::unsetenv("NO_COLOR");
    const auto facts = Terminal::facts_of_process(true);
    return fmt::format("tty={} dumb={} colour={} quiet={}", facts.stderr_is_tty, facts.dumb,
                       facts.colour, facts.quiet);
  };
  std::vector<std::string> seen{with("xterm", nullptr), with("xterm", "1"), with("xterm", ""),
                                with("dumb", nullptr), with(nullptr, nullptr)};
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  CHECK(seen == std::vector<std::string>{"tty=true dumb=false colour=true quiet=true",
                                         "tty=true dumb=false colour=false quiet=true",
                                         "tty=true dumb=false colour=true quiet=true",
                                         "tty=true dumb=true colour=false quiet=true",
                                         "tty=true dumb=true colour=false quiet=true"});
}
