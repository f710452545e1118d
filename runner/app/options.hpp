#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runner/profile/profile.hpp"
#include "sthd/units.hpp"

namespace sthd::app {

enum class Command {
  run,
  plan,
  check,
  list,
  cleanup,
  probe,
  doctor,
  try_,
  watch,
  analyze,
  render,
  compare,
  history,
  explain
};

/// `-f NAME[:FILE]` or `-o FILE` (name then picked by extension, later, when the formatters are
/// known).
struct OutputRequest {
  std::string format;  ///< empty = by the file's extension
  std::string file;    ///< empty = stdout
};

/// The command line, understood. Filled by parse(); nothing else reads argv.
struct Options {
  Command command = Command::run;
  std::string profile;                   ///< name or path; of explain, the code, empty = list them
  std::string target;                    ///< run, plan, cleanup, probe, watch
  std::uint64_t time_ns = 30 * kSecond;  ///< of watch
  std::string condition;                 ///< of try
  std::vector<std::string> files;        ///< of analyze (one), render and compare; "-" = stdin
  profile::Overrides overrides;
  std::vector<OutputRequest> outputs;  ///< empty = ascii on stdout
  std::string log_prefix;              ///< of fio-style logs; empty = none
  std::string plots;                   ///< folder of the SVG files; empty = none
  bool details = false;                ///< the environment in full, where a format can fold it
  bool share = false;                  ///< what is written out names nobody
  bool stages = false;                 ///< of compare, as the next three: a line a record
  std::vector<std::string> columns;    ///< figures of that table
  std::vector<std::string> notes;      ///< what its cells say beside them
  std::vector<std::string> limits;     ///< `--fail-if`
  std::vector<std::string> plugin_dirs;
  bool quiet = false;
  bool verbose = false;
  bool explain = false;       ///< each finding with its evidence, and the latency by layer
  bool strict = false;        ///< a missed expectation of any kind is exit code 3
  bool no_save = false;       ///< the run is not kept in the user's state folder
  bool all = false;           ///< of history: not the newest alone
  bool cross_check = false;   ///< each row of a built-in engine is also run by fio
  std::string io_log;         ///< hidden: file for the raw per-I/O log
  bool no_sampler = false;    ///< hidden: to measure what the sampler costs
  std::string sysroot = "/";  ///< hidden: where /proc, /sys and /etc are read for the facts
};

/// What to do instead of going on: text for stdout (help, version; exit 0) or one sentence for
/// Terminal::error (usage fault; exit 2). Display()ed, ends with a newline.
struct Stop {
  std::string text;
  int exit_code = 0;
};

/// Both forms: `run|plan|… …` and the original `PATH [--fio|--dd|--slog] [flags]`. `argv[0]` is the
/// program's name and is not looked at. Reads nothing but its argument.
std::variant<Options, Stop> parse(const std::vector<std::string>& argv);

}  // namespace sthd::app
