#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sthd::app {

/// What the progress line shows; the caller fills it at most ten times a second.
struct ProgressView {
  std::size_t job = 0;  ///< 1-based
  std::size_t jobs = 0;
  std::string label;                  ///< "RND4K Q32T1 read", or "laying out the test file"
  std::string phase;                  ///< "ramp", "measure", …; may be empty
  std::optional<double> fraction;     ///< of this job, 0…1
  std::optional<double> eta_seconds;  ///< of the whole run
  std::optional<double> megabytes_per_second;
  std::optional<double> iops;
  std::optional<double> p99_us;  ///< latency of the newest slice
};

/// The live line in at most `width` columns: what matters least goes first (phase, bar, p99, IOPS,
/// MB/s, ETA), the label is cut last. The label is display()ed.
std::string progress_text(const ProgressView& view, std::size_t width);
/// The same facts for a log: no bar, nothing left out.
std::string progress_line(const ProgressView& view);

/// The only owner of the terminal. Progress goes to stderr, rendered text to stdout; a live line is
/// wiped before anything else is written. One thread.
class Terminal {
 public:
  struct Facts {  ///< injected, so that tests need no terminal
    bool stderr_is_tty = false;
    bool stdout_is_tty = false;
    bool colour = false;  ///< tty and neither NO_COLOR nor TERM=dumb
    bool dumb = false;
    bool quiet = false;
    int stdout_fd = 1;
    int stderr_fd = 2;
  };
  static Facts facts_of_process(bool quiet);
  explicit Terminal(Facts facts);
  ~Terminal();  ///< wipes the live line

  /// On a terminal a live line (elided to its width, redrawn in place); otherwise a plain line
  /// every 5 s. `now_ns` is a monotonic clock.
  void progress(const ProgressView& view, std::uint64_t now_ns);
  /// Another line in that place, on a terminal only: as many of `parts`, from the first on, as fit
  /// there. They are display()ed.
  void live(std::span<const std::string> parts);
  /// One or more lines of the banner, a note, a warning: stderr; nothing with --quiet. Each line is
  /// display()ed; a missing last newline is added.
  void note(std::string_view text);
  /// An error: stderr, also with --quiet; "speedtest-hd: " goes before its first line. As note().
  void error(std::string_view text);
  /// Faults that name their own place ("file:line:column: …"): as error(), without the prefix.
  void faults(std::string_view text);
  /// What --verbose adds: stderr, as note().
  void verbose(std::string_view text);
  /// Rendered output: stdout, as it is. False when it could not be written (closed, full). SIGPIPE
  /// must be ignored.
  [[nodiscard]] bool output(std::string_view text);
  void wipe();
  [[nodiscard]] const Facts& facts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sthd::app
