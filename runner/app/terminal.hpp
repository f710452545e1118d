#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
};

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
  ~Terminal();  ///< wipes the live line, restores the cursor

  /// On a terminal a live line (elided to its width, redrawn in place); otherwise a plain line
  /// every 5 s. `now_ns` is a monotonic clock.
  void progress(const ProgressView& view, std::uint64_t now_ns);
  /// A line of the banner, a note, a warning: stderr; nothing with --quiet.
  void note(std::string_view text);
  /// An error: stderr, also with --quiet.
  void error(std::string_view text);
  /// Rendered output: stdout. False when it could not be written (closed, full).
  [[nodiscard]] bool output(std::string_view text);
  void wipe();
  [[nodiscard]] const Facts& facts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sthd::app
