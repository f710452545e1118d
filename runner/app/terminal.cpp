#include "runner/app/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "sthd/text.hpp"
#include "sthd/units.hpp"

namespace sthd::app {
namespace {

constexpr std::uint64_t kLogInterval = 5 * kSecond;
constexpr std::size_t kDefaultWidth = 80;
constexpr std::string_view kErase = "\r\x1b[K";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kPlain = "\x1b[0m";

/// All of `text`, however many writes it takes; false when it cannot be.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EINTR) {
      continue;
    } else if (written < 0 && errno == EAGAIN) {
      // Somebody made the descriptor we share with them non-blocking.
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      if (::poll(&ready, 1, -1) < 0 && errno != EINTR) return false;
    } else {
      return false;
    }
  }
  return true;
}

/// Columns of a line drawn in place: one less than there are, since writing into the last one makes
/// some terminals wrap.
std::size_t live_width(int fd) {
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : kDefaultWidth) - 1;
}

/// Each line made safe to show, the last one ended.
std::string safe_lines(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const auto end = text.find('\n');
    safe += display(text.substr(0, end));
    safe += '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return safe;
}

}  // namespace

struct Terminal::State {
  Facts facts;
  bool live = false;  ///< a live line stands on the terminal
  std::string shown;
  std::optional<std::uint64_t> logged_ns;

  void show(std::string line) {
    if (live && line == shown) return;
    write_all(facts.stderr_fd, std::string(kErase) + line);
    shown = std::move(line);
    live = true;
  }
};

Terminal::Facts Terminal::facts_of_process(bool quiet) {
  const char* term = std::getenv("TERM");
  const char* no_colour = std::getenv("NO_COLOR");
  Facts facts;
  facts.stderr_is_tty = ::isatty(STDERR_FILENO) == 1;
  facts.stdout_is_tty = ::isatty(STDOUT_FILENO) == 1;
  facts.dumb = term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
  facts.colour = facts.stderr_is_tty && !facts.dumb && (no_colour == nullptr || *no_colour == '\0');
  facts.quiet = quiet;
  return facts;
}

Terminal::Terminal(Facts facts) : state_(std::make_unique<State>()) { state_->facts = facts; }

Terminal::~Terminal() { wipe(); }

const Terminal::Facts& Terminal::facts() const { return state_->facts; }

void Terminal::progress(const ProgressView& view, std::uint64_t now_ns) {
  const auto& facts = state_->facts;
  if (facts.quiet) return;
  if (facts.stderr_is_tty && !facts.dumb) {
    state_->show(progress_text(view, live_width(facts.stderr_fd)));
    return;
  }
  if (state_->logged_ns && now_ns - *state_->logged_ns < kLogInterval) return;
  state_->logged_ns = now_ns;
  write_all(facts.stderr_fd, progress_line(view) + "\n");
}

void Terminal::live(std::span<const std::string> parts) {
  const auto& facts = state_->facts;
  if (facts.quiet || !facts.stderr_is_tty || facts.dumb) return;
  const std::size_t width = live_width(facts.stderr_fd);
  std::string line;
  for (const std::string& part : parts) {
    std::string longer = line + (line.empty() ? "" : "  ") + display(part);
    if (display_width(longer) > width) break;
    line = std::move(longer);
  }
  state_->show(std::move(line));
}

void Terminal::note(std::string_view text) {
  if (state_->facts.quiet) return;
  wipe();
  write_all(state_->facts.stderr_fd, safe_lines(text));
}

void Terminal::error(std::string_view text) {
  wipe();
  const bool colour = state_->facts.colour;
  std::string line(colour ? kRed : std::string_view());
  line += "speedtest-hd: ";
  if (colour) line += kPlain;
  write_all(state_->facts.stderr_fd, line + safe_lines(text));
}

void Terminal::faults(std::string_view text) {
  wipe();
  write_all(state_->facts.stderr_fd, safe_lines(text));
}

void Terminal::verbose(std::string_view text) { note(text); }

bool Terminal::output(std::string_view text) {
  wipe();
  return write_all(state_->facts.stdout_fd, text);
}

void Terminal::wipe() {
  if (!state_->live) return;
  write_all(state_->facts.stderr_fd, kErase);
  state_->live = false;
}

}  // namespace sthd::app
