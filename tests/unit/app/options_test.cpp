#include "runner/app/options.hpp"

#include <fmt/format.h>

#include "support/catch.hpp"

using sthd::app::Command;
using sthd::app::Options;
using sthd::app::parse;
using sthd::app::Stop;
using Pairs = std::vector<std::pair<std::string, std::string>>;
using Strings = std::vector<std::string>;

namespace {

std::variant<Options, Stop> parsed(Strings words) {
  words.insert(words.begin(), "speedtest-hd");
  return parse(words);
}

Options accepted(const Strings& words) {
  auto result = parsed(words);
  if (const auto* stop = std::get_if<Stop>(&result)) {
    FAIL("refused: " << stop->text);
  }
  return std::get<Options>(std::move(result));
}

Stop stopped(const Strings& words) {
  auto result = parsed(words);
  if (!std::holds_alternative<Stop>(result)) {
    FAIL("accepted: " << fmt::format("{}", fmt::join(words, " ")));
  }
  return std::get<Stop>(std::move(result));
}

/// "profile target command=n set…" in one string, so that a table of cases reads well.
std::string facts(const Options& options) {
  std::string text = fmt::format("{} {}", options.profile, options.target);
  for (const auto& [key, value] : options.overrides.set) text += fmt::format(" {}={}", key, value);
  return text;
}

}  // namespace

TEST_CASE("Each command takes its own arguments", "[app][options]") {
  const auto run = accepted({"run", "slog", "/mnt/pool"});
  CHECK(run.command == Command::run);
  CHECK(run.profile == "slog");
  CHECK(run.target == "/mnt/pool");

  const auto plan = accepted({"plan", "./team.toml", "."});
  CHECK(plan.command == Command::plan);
  CHECK(plan.profile == "./team.toml");
  CHECK(plan.target == ".");

  const auto check = accepted({"check", "./team.toml"});
  CHECK(check.command == Command::check);
  CHECK(check.profile == "./team.toml");
  CHECK(check.target.empty());

  const auto list = accepted({"list", "-v"});
  CHECK(list.command == Command::list);
  CHECK(list.verbose);

  const auto cleanup = accepted({"cleanup", "/mnt/pool"});
  CHECK(cleanup.command == Command::cleanup);
  CHECK(cleanup.profile.empty());
  CHECK(cleanup.target == "/mnt/pool");

  const auto probe = accepted({"probe", "/mnt/pool", "-f", "json:facts.json"});
  CHECK(probe.command == Command::probe);
  CHECK(probe.target == "/mnt/pool");
  CHECK(probe.sysroot == "/");
  CHECK(probe.outputs.at(0).format == "json");
  CHECK(probe.outputs.at(0).file == "facts.json");
}

TEST_CASE("watch takes a target and a time", "[app][options]") {
  const auto watch = accepted({"watch", "/mnt/pool"});
  CHECK(watch.command == Command::watch);
  CHECK(watch.target == "/mnt/pool");
  CHECK(watch.time_ns == 30 * sthd::kSecond);
  CHECK(accepted({"watch", "/mnt/pool", "10"}).time_ns == 10 * sthd::kSecond);
  CHECK(accepted({"watch", "/mnt/pool", "500ms", "-f", "json"}).time_ns == sthd::kSecond / 2);
  CHECK(accepted({"watch", "/mnt/pool", "1m"}).target == "/mnt/pool");
  const std::string example = "as in: speedtest-hd watch /mnt/pool 10s";
  CHECK(stopped({"watch"}).text == "watch takes a TARGET, " + example + "\n");
  for (const char* time : {"0", "soon", "-1"}) {
    CHECK(stopped({"watch", "--", "/mnt/pool", time}).text ==
          fmt::format("watch takes a TIME after the TARGET, {}; \"{}\" is none\n", example, time));
  }
  CHECK(stopped({"watch", "/mnt/pool", "1s", "x"}).text ==
        "unexpected argument \"1s\": watch takes a TARGET, " + example + "\n");
}

TEST_CASE("Options that shape the jobs become overrides in the order given", "[app][options]") {
  const auto options =
      accepted({"run", "--set", "engine=libaio", "cdm", "--engine=psync", "/mnt", "--direct",
                "--runtime", "30", "--ramp=500ms", "--loops", "3", "--size=4g", "--backend",
                "fio-exec", "--set=direct=off", "--runtime=1.5", "--set", "label=a=b"});
  CHECK(options.overrides.set == Pairs{{"engine", "libaio"},
                                       {"engine", "psync"},
                                       {"direct", "required"},
                                       {"runtime", "30s"},
                                       {"ramp", "500ms"},
                                       {"loops", "3"},
                                       {"size", "4g"},
                                       {"backend", "fio-exec"},
                                       {"direct", "off"},
                                       {"runtime", "1.5s"},
                                       {"label", "a=b"}});
  CHECK(options.profile == "cdm");
  CHECK(options.target == "/mnt");
}

TEST_CASE("Values reach the overrides untouched", "[app][options]") {
  for (const std::string value : {"[1,4]", "1,4", "-5", "\"x y\"", "", "%config", "a,b;c"}) {
    CHECK(accepted({"run", "cdm", ".", "--set", "threads=" + value}).overrides.set ==
          Pairs{{"threads", value}});
  }
  CHECK(accepted({"run", "cdm", ".", "--size", "-5"}).overrides.set == Pairs{{"size", "-5"}});
}

TEST_CASE("Axes reach the overrides in the order given, untouched", "[app][options]") {
  const auto options = accepted({"run", "cdm", ".", "--axis", "threads=1,4", "--axis=bs=[\"4k\"]",
                                 "--axis", "threads=", "--set", "loops=2"});
  CHECK(options.overrides.axis == Pairs{{"threads", "1,4"}, {"bs", "[\"4k\"]"}, {"threads", ""}});
  CHECK(options.overrides.set == Pairs{{"loops", "2"}});
  for (const char* command : {"plan", "check"}) {
    Strings words{command, "cdm", "--axis", "threads=1,4"};
    if (words[0] == "plan") words.push_back(".");
    CHECK(accepted(words).overrides.axis == Pairs{{"threads", "1,4"}});
  }
  CHECK(accepted({"/mnt", "--slog", "--axis=threads=1"}).overrides.axis.size() == 1);
}

TEST_CASE("Repeatable options keep every value", "[app][options]") {
  const auto options = accepted({"run", "slog", ".", "--only", "*T1", "--only=sync4k/*",
                                 "--plugin-dir", "/a", "--plugin-dir", "/b", "--yes-many", "-q"});
  CHECK(options.overrides.only == Strings{"*T1", "sync4k/*"});
  CHECK(options.plugin_dirs == Strings{"/a", "/b"});
  CHECK(options.overrides.many);
  CHECK(options.quiet);
  CHECK_FALSE(options.verbose);
}

TEST_CASE("Outputs name a format, a file, or both", "[app][options]") {
  const auto options = accepted({"run", "slog", ".", "-f", "markdown", "-f", "json:a:b.json", "-o",
                                 "t.csv", "--format=csv:x", "--output=y.md"});
  REQUIRE(options.outputs.size() == 5);
  std::string seen;
  for (const auto& output : options.outputs) seen += output.format + ">" + output.file + " ";
  CHECK(seen == "markdown> json>a:b.json >t.csv csv>x >y.md ");
  CHECK(accepted({"run", "slog", "."}).outputs.empty());
}

TEST_CASE("The original forms mean what they meant", "[app][options][original]") {
  const std::vector<std::pair<Strings, std::string>> cases{
      {{"/mnt/pool"}, "cdm /mnt/pool"},
      {{"."}, "cdm ."},
      {{"/mnt", "--fio"}, "cdm /mnt backend=fio-exec"},
      {{"--fio", "/mnt", "--fio"}, "cdm /mnt backend=fio-exec"},
      {{"/mnt", "--dd"}, "dd /mnt"},
      {{"--slog", "/mnt", "--runtime=30"}, "slog /mnt runtime=30s"},
      {{"/mnt", "--slog", "--runtime", "30"}, "slog /mnt runtime=30s"},
      {{"/mnt", "--engine=sync", "--buffered", "--size=4g"},
       "cdm /mnt engine=sync direct=off size=4g"},
      {{"/mnt", "--engine", "posixaio", "--direct", "--size", "4g"},
       "cdm /mnt engine=posixaio direct=required size=4g"},
      {{"./run"}, "cdm ./run"},
      {{"./list", "--dd"}, "dd ./list"},
      {{"--", "-odd"}, "cdm -odd"},
  };
  for (const auto& [words, expected] : cases) {
    const auto options = accepted(words);
    CHECK(facts(options) == expected);
    CHECK(options.command == Command::run);
  }
  CHECK(accepted({"/mnt", "--verbose"}).verbose);
}

TEST_CASE("A usage fault is one sentence and exit code 2", "[app][options][faults]") {
  const std::vector<std::pair<Strings, std::string>> cases{
      {{},
       "no target given; name a profile and a directory, as in: speedtest-hd run slog /mnt/pool"},
      {{"run"}, "run takes a PROFILE and a TARGET, as in: speedtest-hd run slog /mnt/pool"},
      {{"run", "/mnt"}, "run takes a PROFILE and a TARGET, as in: speedtest-hd run slog /mnt/pool"},
      {{"run", "slog", "/a", "/b"},
       "unexpected argument \"/b\": run takes a PROFILE and a TARGET, as in: speedtest-hd run slog "
       "/mnt/pool"},
      {{"check"}, "check takes a PROFILE, as in: speedtest-hd check ./team.toml"},
      {{"list", "x"},
       "unexpected argument \"x\": list takes no argument, as in: speedtest-hd list -v"},
      {{"cleanup"}, "cleanup takes a DIR, as in: speedtest-hd cleanup /mnt/pool"},
      {{"probe"}, "probe takes a TARGET, as in: speedtest-hd probe /mnt/pool"},
      {{"probe", "slog", "/mnt"},
       "unexpected argument \"/mnt\": probe takes a TARGET, as in: speedtest-hd probe /mnt/pool"},
      {{"probe", "/mnt", "--size", "4k"},
       "--size is an option of run, plan, check, doctor and try, not of probe"},
      {{"run", "slog", ""}, "an argument is empty; name a profile, a directory or an option"},
      {{"-q", "run", "slog", "/mnt"},
       "\"run\" must be the first word, as in: speedtest-hd run slog /mnt/pool"},
      {{"rnu", "slog", "/mnt"}, "unknown command \"rnu\"; did you mean \"run\"?"},
      {{"slog", "/mnt"},
       "unexpected argument \"/mnt\": give one PATH, or run PROFILE TARGET as in: speedtest-hd run "
       "slog /mnt/pool"},
      {{"run", "slog", ".", "--runtme", "3"},
       "unknown option \"--runtme\"; did you mean \"--runtime\"?"},
      {{"run", "slog", ".", "--runtme=3"},
       "unknown option \"--runtme\"; did you mean \"--runtime\"?"},
      {{"run", "slog", ".", "--zzzzzz"},
       "unknown option \"--zzzzzz\"; speedtest-hd --help lists them"},
      {{"run", "slog", ".", "-x"}, "unknown option \"-x\"; speedtest-hd --help lists them"},
      {{"run", "slog", ".", "--\x1b[31m"},
       "unknown option \"--\\x1b[31m\"; speedtest-hd --help lists them"},
      {{"run", "slog", ".", "--fio"},
       "--fio belongs to the original form, as in: speedtest-hd /mnt/pool --fio"},
      {{"plan", "slog", ".", "-f", "json"},
       "-f is an option of run, doctor, try, analyze, render and compare, not of plan"},
      {{"list", "--size=4k"},
       "--size is an option of run, plan, check, doctor and try, not of list"},
      {{"run", "slog", ".", "--size"}, "--size needs a value (SIZE)"},
      {{"run", "slog", ".", "--size="}, "--size= needs a value after the ="},
      {{"run", "slog", ".", "--size", "--direct"}, "--size needs a value (SIZE)"},
      {{"run", "slog", ".", "-f"}, "--format needs a value (NAME[:FILE])"},
      {{"run", "slog", ".", "--direct=yes"}, "--direct takes no value"},
      {{"run", "slog", ".", "--set", "x"},
       "--set takes key=value, as in --set queue_depth=4, not \"x\""},
      {{"run", "slog", ".", "--set", "=x"},
       "--set takes key=value, as in --set queue_depth=4, not \"=x\""},
      {{"run", "slog", ".", "--axis", "threads"},
       "--axis takes key=a,b, as in --axis threads=1,4, not \"threads\""},
      {{"run", "slog", ".", "--axis", "=1,4"},
       "--axis takes key=a,b, as in --axis threads=1,4, not \"=1,4\""},
      {{"run", "slog", ".", "--axis"}, "--axis needs a value (KEY=A,B)"},
      {{"list", "--axis", "threads=1"},
       "--axis is an option of run, plan, check, doctor and try, not of list"},
      {{"run", "slog", ".", "-f", "json:"},
       "-f json: names no file after the colon; leave the colon out for stdout"},
      {{"run", "slog", ".", "-f", ":x"},
       "-f takes NAME or NAME:FILE, as in -f json:out.json, not \":x\""},
      {{"run", "slog", ".", "-o", "-"},
       "-o takes a file, whose extension names the format; for stdout use -f NAME"},
  };
  for (const auto& [words, expected] : cases) {
    const auto stop = stopped(words);
    CHECK(stop.text == expected + "\n");
    CHECK(stop.exit_code == 2);
  }
}

TEST_CASE("doctor runs its own profile; try takes a condition, threads and a block",
          "[app][options]") {
  const auto doctor = accepted({"doctor", "/mnt/pool", "--runtime", "1", "-f", "json"});
  CHECK(doctor.command == Command::doctor);
  CHECK(facts(doctor) == "sync-doctor /mnt/pool runtime=1s");
  CHECK(doctor.outputs.at(0).format == "json");

  const auto tried =
      accepted({"try", "cores-awake", "/mnt/pool", "--threads", "4", "--block", "16k"});
  CHECK(tried.command == Command::try_);
  CHECK(tried.condition == "cores-awake");
  CHECK(facts(tried) == " /mnt/pool threads=4 block_size=16k");

  CHECK(stopped({"doctor"}).text ==
        "doctor takes a TARGET, as in: speedtest-hd doctor /mnt/pool\n");
  CHECK(stopped({"try", "/mnt/pool"}).text ==
        "try takes a CONDITION and a TARGET, as in: speedtest-hd try cores-awake /mnt/pool\n");
  CHECK(stopped({"run", "slog", "/mnt", "--block", "4k"}).text ==
        "--block is an option of try, not of run\n");
}

TEST_CASE("A cross-check is asked of run, plan and the original form",
          "[app][options][cross-check]") {
  for (const Strings& words : {Strings{"run", "cdm", "/mnt", "--cross-check"},
                               Strings{"plan", "cdm", "/mnt", "--cross-check"},
                               Strings{"/mnt", "--slog", "--cross-check"}}) {
    CHECK(accepted(words).cross_check);
  }
  CHECK_FALSE(accepted({"run", "cdm", "/mnt"}).cross_check);
  CHECK(stopped({"check", "cdm", "--cross-check"}).text ==
        "--cross-check is an option of run and plan, not of check\n");
}

TEST_CASE("Contradictions are refused", "[app][options][faults]") {
  const std::vector<std::pair<Strings, std::string>> cases{
      {{"/mnt", "--direct", "--buffered"},
       "--direct and --buffered contradict each other; leave one of them out"},
      {{"run", "cdm", "/mnt", "--buffered", "--direct"},
       "--direct and --buffered contradict each other; leave one of them out"},
      {{"/mnt", "--fio", "--slog"},
       "--fio and --slog contradict each other; leave one of them out"},
      {{"/mnt", "--slog", "--dd"}, "--slog and --dd contradict each other; leave one of them out"},
      {{"/mnt", "--quiet", "--verbose"},
       "--quiet and --verbose contradict each other; leave one of them out"},
      {{"/mnt", "--fio", "--backend=dd"},
       "--fio already names the backend fio-exec; leave out --fio or --backend"},
      {{"/mnt", "--dd", "--engine=libaio"},
       "--dd copies with dd, which leaves nothing to choose; leave out --engine"},
      {{"/mnt", "--fio", "--cross-check"},
       "--cross-check compares built-in engines with fio, and --fio uses none; leave one of them "
       "out"},
      {{"/mnt", "-f", "json", "-f", "csv"},
       "only one report can go to stdout; give the others a file, as in -f json:out.json"},
      {{"/mnt", "-o", "a.md", "-f", "csv:a.md"},
       "two reports would go to \"a.md\"; give each its own file"},
  };
  for (const auto& [words, expected] : cases) {
    const auto stop = stopped(words);
    CHECK(stop.text == expected + "\n");
    CHECK(stop.exit_code == 2);
  }
}

TEST_CASE("Help wins over whatever else is wrong, and lists what the command takes",
          "[app][options][help]") {
  const auto help = stopped({"--help"});
  CHECK(help.exit_code == 0);
  for (const char* part :
       {"speedtest-hd run PROFILE TARGET [options]", "speedtest-hd plan cdm",
        "speedtest-hd check ./team.toml", "speedtest-hd list -v", "speedtest-hd cleanup /mnt/pool",
        "--slog --runtime=30", "  75   another run holds the target", "  5    a report"}) {
    CHECK_THAT(help.text, Catch::Contains(part));
  }
  CHECK_THAT(help.text, !Catch::Contains("--io-log"));

  const auto list = stopped({"list", "unexpected", "-h"});
  CHECK(list.exit_code == 0);
  CHECK(list.text ==
        "speedtest-hd list [options]\n"
        "  show profiles, backends and formats\n\n"
        "Example: speedtest-hd list -v\n\n"
        "Options:\n"
        "  -q, --quiet                only errors on stderr\n"
        "  -v, --verbose              say more\n"
        "  --plugin-dir DIR           look for plugins there too; repeatable\n"
        "  -h, --help                 this text\n"
        "  --version                  the version\n" +
            help.text.substr(help.text.find("\nExit codes:")));
  for (const auto& line : {help.text, list.text}) {
    std::size_t start = 0;
    while (start < line.size()) {
      const auto end = line.find('\n', start);
      CHECK(end - start <= 95);
      start = end + 1;
    }
  }
}

TEST_CASE("The version names the build", "[app][options][help]") {
  const auto stop = stopped({"--version"});
  CHECK(stop.exit_code == 0);
  CHECK(stop.text == fmt::format("speedtest-hd {} ({})\n", STHD_VERSION, STHD_BUILD_NAME));
}

TEST_CASE("The raw log is reached by those who know it", "[app][options]") {
  CHECK(accepted({"run", "slog", ".", "--io-log", "/tmp/x"}).io_log == "/tmp/x");
  CHECK(accepted({"run", "slog", ".", "--log-prefix", "out/p"}).log_prefix == "out/p");
  CHECK(accepted({"run", "slog", "."}).log_prefix.empty());
}
