#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/outcome.hpp"
#include "sthd/result.hpp"
#include "sthd/units.hpp"

namespace sthd::process {

/// A program to run, without a shell. The child gets descriptors 0, 1 and 2 and no other, default
/// signal dispositions, an empty signal mask, and the environment PATH (fixed), LC_ALL=C, LANG=C,
/// HOME and TMPDIR; it dies when the thread that started it does.
struct Command {
  std::string executable;              ///< absolute path
  std::string name;                    ///< argv[0]; empty = the executable's last component
  std::vector<std::string> arguments;  ///< argv[1…]
  std::string scratch;     ///< TMPDIR, HOME and working directory; empty = "/" and no TMPDIR
  bool own_group = false;  ///< leads a process group of its own, which signals then go to
  /// The next bytes of the child's standard input, valid until the next call; empty = end of
  /// input. Without it standard input is /dev/null.
  std::function<std::span<const std::byte>()> feed;
  /// Each line of standard output as it comes (ended by \n or \r, which is left out; at most
  /// 64 KiB).
  std::function<void(std::string_view)> on_line;
  /// Asked at least ten times a second, from the calling thread; true stops the child.
  std::function<bool()> cancelled;
  std::uint64_t deadline_ns = 0;           ///< from the start; 0 = none
  int stop_signal = 15;                    ///< what a cancelled or late child gets first
  std::uint64_t grace_ns = 3 * kSecond;    ///< from the stop signal to SIGKILL
  std::size_t output_limit = 64ULL << 20;  ///< kept bytes of standard output
};

/// How a child ended and what it said.
struct Ended {
  int status = 0;              ///< exit status; meaningless when `signal` is set
  int signal = 0;              ///< what ended it; 0 = it exited
  bool cancelled = false;      ///< stopped because Command::cancelled said so
  bool late = false;           ///< stopped at its deadline
  std::string output;          ///< standard output, up to the limit
  bool output_cut = false;     ///< there was more
  std::string errors;          ///< standard error: its first and its last 64 KiB
  std::uint64_t fed = 0;       ///< bytes it took from standard input
  std::uint64_t start_ns = 0;  ///< CLOCK_MONOTONIC when the program had been loaded
  std::uint64_t end_ns = 0;    ///< CLOCK_MONOTONIC when its end was seen
  CpuUse cpu;

  [[nodiscard]] bool succeeded() const noexcept { return signal == 0 && status == 0; }
};

/// Runs `command` to its end, however it ends. Error: it could not be started, or it cannot be
/// stopped.
[[nodiscard]] Outcome<Ended> run(const Command& command);

/// "exited with status 1", "was ended by signal SIGBUS", "did not end in time and was stopped".
[[nodiscard]] std::string describe_end(const Ended& ended);

/// CLOCK_MONOTONIC in nanoseconds.
[[nodiscard]] std::uint64_t monotonic_ns() noexcept;

}  // namespace sthd::process
