#include <fmt/format.h>

#include "runner/app/options.hpp"
#include "support/catch.hpp"

namespace sthd::app {
namespace {

using Strings = std::vector<std::string>;

std::variant<Options, Stop> parsed(Strings words) {
  words.insert(words.begin(), "speedtest-hd");
  return parse(words);
}

/// The fault's sentence; "" for a command line that is accepted.
std::string fault(const Strings& words) {
  const auto result = parsed(words);
  const auto* stop = std::get_if<Stop>(&result);
  return stop != nullptr && stop->exit_code == 2 ? stop->text : "";
}

}  // namespace

TEST_CASE("render takes records, analyze one file, - being stdin", "[app][options]") {
  const auto render = std::get<Options>(parsed({"render", "a.json", "b.json", "-f", "csv"}));
  CHECK(render.command == Command::render);
  CHECK(render.files == Strings{"a.json", "b.json"});
  CHECK(render.outputs.at(0).format == "csv");
  CHECK(render.target.empty());
  const auto analyze = std::get<Options>(parsed({"analyze", "-", "--explain", "-o", "x.md"}));
  CHECK(analyze.command == Command::analyze);
  CHECK(analyze.files == Strings{"-"});
  CHECK(analyze.explain);
  CHECK(analyze.outputs.at(0).file == "x.md");
}

TEST_CASE("history takes nothing, and what measures can leave out being kept", "[app][options]") {
  const auto history = std::get<Options>(parsed({"history", "--all", "-q"}));
  CHECK(history.command == Command::history);
  CHECK(history.all);
  CHECK(history.quiet);
  CHECK(fault({"history", "x"}) ==
        "unexpected argument \"x\": history takes no argument, as in: speedtest-hd history\n");
  CHECK(fault({"render", "--all", "x"}) == "--all is an option of history, not of render\n");
  const std::vector<Strings> measuring{
      {"run", "slog", "."}, {"doctor", "."}, {"try", "cores-busy", "."}, {"./pool", "--slog"}};
  for (Strings words : measuring) {
    CHECK_FALSE(std::get<Options>(parsed(words)).no_save);
    words.emplace_back("--no-save");
    CHECK(std::get<Options>(parsed(words)).no_save);
  }
  CHECK(fault({"plan", "slog", ".", "--no-save"}) ==
        "--no-save is an option of run, doctor and try, not of plan\n");
}

TEST_CASE("What writes reports can leave out whose they are", "[app][options]") {
  const std::vector<Strings> writing{
      {"run", "slog", "."}, {"./pool", "--slog"}, {"render", "a.json"}, {"analyze", "a.json"}};
  for (Strings words : writing) {
    CHECK_FALSE(std::get<Options>(parsed(words)).share);
    words.emplace_back("--share");
    CHECK(std::get<Options>(parsed(words)).share);
  }
  CHECK(fault({"plan", "slog", ".", "--share"}) ==
        "--share is an option of run, analyze, render and compare, not of plan\n");
}

TEST_CASE("compare takes two records or more, and what is asked of them", "[app][options]") {
  const auto compare = std::get<Options>(
      parsed({"compare", "a.json", "b=@-1", "c", "--fail-if", "x iops < -5%", "--fail-if=y bw > 1%",
              "--stages", "--columns", "x iops", "--note", "b: x iops = why", "--share"}));
  CHECK(compare.command == Command::compare);
  CHECK(compare.files == Strings{"a.json", "b=@-1", "c"});
  CHECK(compare.limits == Strings{"x iops < -5%", "y bw > 1%"});
  CHECK(compare.stages);
  CHECK(compare.columns == Strings{"x iops"});
  CHECK(compare.notes == Strings{"b: x iops = why"});
  CHECK(compare.share);
  const std::string needs =
      "compare takes two RECORDs or more, as in: speedtest-hd compare before=@-2 after=@-1\n";
  CHECK(fault({"compare"}) == needs);
  CHECK(fault({"compare", "a"}) == needs);
  CHECK(fault({"compare", "a", "b", "--columns", "x iops"}) ==
        "--columns is about the table of --stages; add that\n");
  CHECK(fault({"compare", "a", "b", "--note", "x"}) ==
        "--note is about the table of --stages; add that\n");
  CHECK(fault({"compare", "a", "b", "--strict"}).find("--strict is an option of ") == 0);
  CHECK(fault({"render", "a", "--stages"}) == "--stages is an option of compare, not of render\n");
}

TEST_CASE("render and analyze refuse what is not theirs", "[app][options]") {
  CHECK(fault({"render"}) ==
        "render takes one RECORD or more, as in: speedtest-hd render slog.json -f markdown\n");
  CHECK(fault({"analyze"}) ==
        "analyze takes a FILE, as in: speedtest-hd analyze fio.json --explain\n");
  CHECK(fault({"analyze", "a", "b"}) ==
        "unexpected argument \"b\": analyze takes a FILE, as in: speedtest-hd analyze fio.json "
        "--explain\n");
  CHECK(fault({"render", "a", "--runtime", "1s"}).find("--runtime is an option of ") == 0);
  CHECK(fault({"render", "a", "--", "-b"}) == "");
}

}  // namespace sthd::app
