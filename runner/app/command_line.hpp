#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runner/app/options.hpp"

// The tables behind the command line: what parse() reads by and what the help text is made of.
namespace sthd::app {

/// The forms of the command line, as bits of OptionRow::forms.
enum Form : unsigned {
  kRun = 1,
  kPlan = 2,
  kCheck = 4,
  kList = 8,
  kCleanup = 16,
  kOriginal = 32,
  kProbe = 64,
  kDoctor = 128,
  kTry = 256,
  kHistory = 512,
  kWatch = 1024,
  kRender = 2048,
  kAnalyze = 4096,
  kCompare = 8192,
  kRecords = kRender | kAnalyze,
  kReading = kRecords | kCompare,
  kMeasuring = kRun | kOriginal | kDoctor | kTry,
  kJobs = kRun | kPlan | kCheck | kOriginal | kDoctor | kTry,
  kAll = kJobs | kList | kCleanup | kProbe | kWatch | kReading | kHistory,
};

struct CommandRow {
  std::string_view name;
  Form form;
  Command command;
  std::string_view arguments;  ///< "PROFILE TARGET"
  std::string_view needs;      ///< the same in words: "a PROFILE and a TARGET"
  std::size_t count;           ///< of arguments; more may follow where they end in "..."
  std::string_view summary;
  std::string_view example;
  bool time_follows = false;  ///< a TIME may follow the arguments
};
std::span<const CommandRow> command_rows();

/// What parse() gathers on its way.
struct Reading {
  Options options;
  bool help = false;
  bool version = false;
  std::string_view mode;            ///< "--fio", "--dd" or "--slog"; empty = none
  std::string_view direct;          ///< "--direct" or "--buffered", the one seen first
  std::string_view engine_options;  ///< "--engine" or "--backend", the last one seen
};

struct OptionRow {
  std::string_view names;  ///< "-f,--format"
  std::string_view value;  ///< placeholder; empty = a flag
  std::string_view help;   ///< empty = hidden
  unsigned forms;
  /// Takes one appearance; a fault's sentence, or nothing.
  std::string (*apply)(Reading& reading, const OptionRow& row, const std::string& value);
  std::string_view key = {};    ///< the profile key it sets
  std::string_view fixed = {};  ///< the value a flag sets it to
};
std::span<const OptionRow> option_rows();

/// The name a person reads: the long one ("--format").
std::string_view long_name(const OptionRow& row);

/// The whole help, or that of one command.
std::string help_text(const CommandRow* command);
std::string version_text();

}  // namespace sthd::app
