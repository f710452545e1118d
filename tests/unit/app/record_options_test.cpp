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
