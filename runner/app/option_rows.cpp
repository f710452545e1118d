#include <fmt/format.h>

#include <array>

#include "runner/app/command_line.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

constexpr std::array kCommands{
    CommandRow{"run", kRun, Command::run, "PROFILE TARGET", "a PROFILE and a TARGET", 2,
               "measure TARGET, an existing directory, as PROFILE says",
               "speedtest-hd run slog /mnt/pool"},
    CommandRow{"plan", kPlan, Command::plan, "PROFILE TARGET", "a PROFILE and a TARGET", 2,
               "show rows, engines, time and space; measure nothing",
               "speedtest-hd plan cdm /mnt/pool"},
    CommandRow{"check", kCheck, Command::check, "PROFILE", "a PROFILE", 1,
               "report every fault of a profile", "speedtest-hd check ./team.toml"},
    CommandRow{"list", kList, Command::list, "", "no argument", 0,
               "show profiles, backends and formats", "speedtest-hd list -v"},
    CommandRow{"cleanup", kCleanup, Command::cleanup, "DIR", "a DIR", 1,
               "remove test files that a power cut left in DIR", "speedtest-hd cleanup /mnt/pool"},
    CommandRow{"probe", kProbe, Command::probe, "TARGET", "a TARGET", 1,
               "show what is known of this machine and of TARGET; measure nothing",
               "speedtest-hd probe /mnt/pool"},
    CommandRow{"doctor", kDoctor, Command::doctor, "TARGET", "a TARGET", 1,
               "find out by experiments what sync writes to TARGET spend their time on",
               "speedtest-hd doctor /mnt/pool"},
    CommandRow{"try", kTry, Command::try_, "CONDITION TARGET", "a CONDITION and a TARGET", 2,
               "measure sync writes without and with cores-awake, cores-busy or "
               "governor-performance",
               "speedtest-hd try cores-awake /mnt/pool"},
    CommandRow{"watch", kWatch, Command::watch, "TARGET", "a TARGET", 1,
               "say what the load that is there waits for, for TIME (30s); add none",
               "speedtest-hd watch /mnt/pool 10s", true},
    CommandRow{"analyze", kAnalyze, Command::analyze, "FILE", "a FILE", 1,
               "judge a record, or what fio printed as JSON, anew; - is stdin",
               "speedtest-hd analyze fio.json --explain"},
    CommandRow{"render", kRender, Command::render, "RECORD...", "one RECORD or more", 1,
               "show records that -f json wrote, in any format; - is stdin",
               "speedtest-hd render slog.json -f markdown"},
    CommandRow{"compare", kCompare, Command::compare, "RECORD RECORD...", "two RECORDs or more", 2,
               "what differs between records, each figure's ratio to the first; LABEL=RECORD names",
               "speedtest-hd compare before=@-2 after=@-1"},
    CommandRow{"history", kHistory, Command::history, "", "no argument", 0,
               "list the runs that were kept; @-1, or an id, is taken as a RECORD",
               "speedtest-hd history"},
};

std::string set_key(Reading& reading, const OptionRow& row, const std::string& value) {
  if (row.key == "engine" || row.key == "backend") reading.engine_options = long_name(row);
  reading.options.overrides.set.emplace_back(row.key, row.fixed.empty() ? value : row.fixed);
  return {};
}

std::string set_time(Reading& reading, const OptionRow& row, const std::string& value) {
  const bool bare = value.find_first_not_of("0123456789.") == std::string::npos;
  return set_key(reading, row, bare ? value + "s" : value);
}

std::string set_direct(Reading& reading, const OptionRow& row, const std::string& value) {
  if (!reading.direct.empty() && reading.direct != row.names) {
    return "--direct and --buffered contradict each other; leave one of them out";
  }
  reading.direct = row.names;
  return set_key(reading, row, value);
}

std::string set_any(Reading& reading, const OptionRow&, const std::string& value) {
  const auto equals = value.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return fmt::format("--set takes key=value, as in --set queue_depth=4, not \"{}\"",
                       display(value));
  }
  reading.options.overrides.set.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  return {};
}

std::string add_axis(Reading& reading, const OptionRow&, const std::string& value) {
  const auto equals = value.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return fmt::format("--axis takes key=a,b, as in --axis threads=1,4, not \"{}\"",
                       display(value));
  }
  reading.options.overrides.axis.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  return {};
}

std::string choose_mode(Reading& reading, const OptionRow& row, const std::string&) {
  if (!reading.mode.empty() && reading.mode != row.names) {
    return fmt::format("{} and {} contradict each other; leave one of them out", reading.mode,
                       row.names);
  }
  if (reading.mode.empty() && !row.key.empty()) {
    reading.options.overrides.set.emplace_back(row.key, row.fixed);
  }
  reading.mode = row.names;
  reading.options.profile = row.key.empty() ? row.fixed : "cdm";
  return {};
}

std::string add_format(Reading& reading, const OptionRow&, const std::string& value) {
  const auto colon = value.find(':');
  OutputRequest request{.format = value.substr(0, colon), .file = {}};
  if (request.format.empty()) {
    return fmt::format("-f takes NAME or NAME:FILE, as in -f json:out.json, not \"{}\"",
                       display(value));
  }
  if (colon != std::string::npos) {
    request.file = value.substr(colon + 1);
    if (request.file.empty()) {
      return fmt::format("-f {} names no file after the colon; leave the colon out for stdout",
                         display(value));
    }
  }
  reading.options.outputs.push_back(std::move(request));
  return {};
}

std::string add_output(Reading& reading, const OptionRow&, const std::string& value) {
  if (value.empty() || value == "-") {
    return "-o takes a file, whose extension names the format; for stdout use -f NAME";
  }
  reading.options.outputs.push_back({.format = {}, .file = value});
  return {};
}

using Text = std::string (*)(Reading&, const OptionRow&, const std::string&);
constexpr Text kOnly = [](Reading& reading, const OptionRow&, const std::string& value) {
  reading.options.overrides.only.push_back(value);
  return std::string{};
};
constexpr Text kPluginDir = [](Reading& reading, const OptionRow&, const std::string& value) {
  reading.options.plugin_dirs.push_back(value);
  return std::string{};
};
constexpr Text kLogPrefix = [](Reading& reading, const OptionRow&, const std::string& value) {
  reading.options.log_prefix = value;
  return std::string{};
};
constexpr Text kPlots = [](Reading& reading, const OptionRow&, const std::string& value) {
  reading.options.plots = value;
  return std::string{};
};
constexpr Text kSysroot = [](Reading& reading, const OptionRow&, const std::string& value) {
  reading.options.sysroot = value;
  return std::string{};
};
constexpr Text kIoLog = [](Reading& reading, const OptionRow&, const std::string& value) {
  reading.options.io_log = value;
  return std::string{};
};

/// An option that may be given again.
template <std::vector<std::string> Options::*Member>
std::string append(Reading& reading, const OptionRow&, const std::string& value) {
  (reading.options.*Member).push_back(value);
  return {};
}

/// A flag that sets one bool.
template <auto Member>
std::string raise(Reading& reading, const OptionRow&, const std::string&) {
  if constexpr (std::is_same_v<decltype(Member), bool Options::*>) {
    reading.options.*Member = true;
  } else if constexpr (std::is_same_v<decltype(Member), bool profile::Overrides::*>) {
    reading.options.overrides.*Member = true;
  } else {
    reading.*Member = true;
  }
  return {};
}

constexpr std::array kOptions{
    OptionRow{"--fio", "", "the cdm profile, run by fio alone", kOriginal, choose_mode, "backend",
              "fio-exec"},
    OptionRow{"--dd", "", "the dd profile", kOriginal, choose_mode, "", "dd"},
    OptionRow{"--slog", "", "the slog profile", kOriginal, choose_mode, "", "slog"},
    OptionRow{"--engine", "NAME", "psync (or sync), libaio, io_uring, posixaio; a,b: in order",
              kJobs, set_key, "engine"},
    OptionRow{"--backend", "NAME", "who runs the jobs: native-psync, fio-exec, ...", kJobs, set_key,
              "backend"},
    OptionRow{"--direct", "", "with O_DIRECT; a row that cannot is skipped", kJobs, set_direct,
              "direct", "required"},
    OptionRow{"--buffered", "", "without O_DIRECT", kJobs, set_direct, "direct", "off"},
    OptionRow{"--runtime", "TIME", "measured time of a job", kJobs, set_time, "runtime"},
    OptionRow{"--ramp", "TIME", "uncounted time before it", kJobs, set_time, "ramp"},
    OptionRow{"--loops", "N", "runs of a job, one after the other", kJobs, set_key, "loops"},
    OptionRow{"--repeat", "N", "times that all is measured; shows median and spread", kJobs,
              set_key, "repeat"},
    OptionRow{"--threads", "N", "threads that write (1)", kTry, set_key, "threads"},
    OptionRow{"--block", "SIZE", "bytes of a write (4KiB)", kTry, set_key, "block_size"},
    OptionRow{"--size", "SIZE", "bytes of the test file", kJobs, set_key, "size"},
    OptionRow{"--set", "KEY=VALUE", "any key of every job; repeatable", kJobs, set_any},
    OptionRow{"--axis", "KEY=A,B", "every job with each of these values; repeatable", kJobs,
              add_axis},
    OptionRow{"--only", "GLOB", "only rows whose label or id matches; repeatable", kJobs, kOnly},
    OptionRow{"--cross-check", "", "run every row by fio too, and show the difference",
              kRun | kPlan | kOriginal, raise<&Options::cross_check>},
    OptionRow{"--yes-many", "", "more than 256 jobs are meant", kJobs,
              raise<&profile::Overrides::many>},
    OptionRow{"-f,--format", "NAME[:FILE]",
              "ascii, csv, html, json, markdown, ... (see list); repeatable", kMeasuring | kReading,
              add_format},
    OptionRow{"-f,--format", "json[:FILE]", "of probe and watch: as JSON instead of text",
              kProbe | kWatch, add_format},
    OptionRow{"-o,--output", "FILE", "report to FILE, its extension says how; repeatable",
              kMeasuring | kReading, add_output},
    OptionRow{"--log-prefix", "PREFIX", "PREFIX_{bw,iops,lat}.N.log of job N, as fio logs",
              kMeasuring | kRecords, kLogPrefix},
    OptionRow{"--plots", "DIR", "latency.svg, throughput.svg and p99.svg in DIR",
              kMeasuring | kRecords, kPlots},
    OptionRow{"--details", "", "the environment in full, folded, in formats that can (markdown)",
              kMeasuring | kRecords, raise<&Options::details>},
    OptionRow{"--share", "", "name no host, user, disk or address in any report; see README",
              kRun | kOriginal | kReading, raise<&Options::share>},
    OptionRow{"--fail-if", "LIMIT", "'JOB [OP] METRIC > +N%': exit 3 where all of the interval is",
              kCompare, append<&Options::limits>},
    OptionRow{"--stages", "", "a before/after table, a line a record, and the net improvement",
              kCompare, raise<&Options::stages>},
    OptionRow{"--columns", "LIST", "its columns: 'JOB [OP] METRIC, ...'", kCompare,
              append<&Options::columns>},
    OptionRow{"--note", "NOTE", "'LABEL: JOB [OP] METRIC = TEXT' in one of its cells; repeatable",
              kCompare, append<&Options::notes>},
    OptionRow{"--no-save", "", "do not keep the run for history (nor where CI is set)", kMeasuring,
              raise<&Options::no_save>},
    OptionRow{"--all", "", "every run, not only the newest 20", kHistory, raise<&Options::all>},
    OptionRow{"-q,--quiet", "", "only errors on stderr", kAll, raise<&Options::quiet>},
    OptionRow{"-v,--verbose", "", "say more", kAll, raise<&Options::verbose>},
    OptionRow{"--explain", "", "each finding with its evidence, and the latency by layer",
              kMeasuring | kRecords, raise<&Options::explain>},
    OptionRow{"--strict", "", "exit 3 also where a healthy or vendor-spec expectation is missed",
              kRun | kOriginal | kAnalyze, raise<&Options::strict>},
    OptionRow{"--plugin-dir", "DIR", "look for plugins there too; repeatable", kAll, kPluginDir},
    OptionRow{"--io-log", "FILE", "", kMeasuring, kIoLog},
    OptionRow{"--no-sampler", "", "", kMeasuring, raise<&Options::no_sampler>},
    OptionRow{"--sysroot", "DIR", "", kMeasuring | kProbe | kWatch | kCleanup, kSysroot},
    OptionRow{"-h,--help", "", "this text", kAll, raise<&Reading::help>},
    OptionRow{"--version", "", "the version", kAll, raise<&Reading::version>},
};

}  // namespace

std::span<const CommandRow> command_rows() { return kCommands; }
std::span<const OptionRow> option_rows() { return kOptions; }

std::string_view long_name(const OptionRow& row) {
  return row.names.substr(row.names.rfind(',') + 1);
}

}  // namespace sthd::app
