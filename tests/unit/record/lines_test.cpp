#include "runner/record/lines.hpp"

#include <string>
#include <utility>
#include <vector>

#include "random_report.hpp"
#include "same.hpp"
#include "support/catch.hpp"

namespace sthd::record {

namespace {

template <class T>
T round_trip(const T& line) {
  const std::string text = encode(line);
  CAPTURE(text);
  CHECK(text.find('\n') == std::string::npos);
  const Outcome<Line> back = decode(text);
  REQUIRE(back.ok());
  REQUIRE(std::holds_alternative<T>(*back));
  return std::get<T>(*back);
}

std::string fault(std::string_view text) {
  const Outcome<Line> line = decode(text);
  return line.ok() ? "" : line.error().message;
}

}  // namespace

TEST_CASE("A phase line keeps phase and loop", "[record][lines]") {
  for (const Phase phase :
       {Phase::prepare, Phase::ramp, Phase::measure, Phase::end_fsync, Phase::close}) {
    const PhaseLine back = round_trip(PhaseLine{phase, 3});
    CHECK(back.phase == phase);
    CHECK(back.loop == 3);
  }
}

TEST_CASE("A progress line keeps its totals and its p99, if it has one", "[record][lines]") {
  const Progress back = round_trip(ProgressLine{{1, UINT64_MAX, 3, 123}}).progress;
  CHECK(back.elapsed_ns == 1);
  CHECK(back.ios == UINT64_MAX);
  CHECK(back.bytes == 3);
  CHECK(back.p99_ns == 123);
  CHECK_FALSE(round_trip(ProgressLine{{1, 2, 3, std::nullopt}}).progress.p99_ns);
}

TEST_CASE("A raw line keeps its text, line ends included", "[record][lines]") {
  CHECK(round_trip(RawLine{"a\nb\t\"\\\x1b é"}).text == "a\nb\t\"\\\x1b é");
}

TEST_CASE("Invalid UTF-8 in a line is replaced", "[record][lines]") {
  CHECK(round_trip(RawLine{"a\xff z"}).text == "a\xef\xbf\xbd z");
}

TEST_CASE("A loop line keeps the whole loop", "[record][lines]") {
  std::size_t loops = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const ResultRecord& record : test::random_report(seed).records) {
      for (const LoopResult& loop : record.loops) {
        CHECK(test::same(round_trip(LoopLine{loop}).loop, loop));
        ++loops;
      }
    }
  }
  CHECK(loops > 10);
}

TEST_CASE("A samples line keeps its slices and the direction", "[record][lines]") {
  std::size_t slices = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const ResultRecord& record : test::random_report(seed).records) {
      for (const LoopResult& loop : record.loops) {
        if (!loop.write) continue;
        LoopResult alone;
        alone.write.emplace().samples = loop.write->samples;
        const SamplesLine back = round_trip(SamplesLine{Op::write, loop.write->samples});
        CHECK(back.op == Op::write);
        LoopResult found;
        found.write.emplace().samples = back.samples;
        CHECK(test::same(found, alone));
        slices += back.samples.size();
      }
    }
  }
  CHECK(slices > 10);
}

TEST_CASE("A target line keeps the whole target", "[record][lines]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Target target = test::random_report(seed).target;
    CHECK(test::same(round_trip(TargetLine{target}).target, target));
  }
}

TEST_CASE("A capability line keeps version, depth, workers and note", "[record][lines]") {
  const Capability back = round_trip(CapabilityLine{{"fio-3.33", 32, 4, "by threads"}}).capability;
  CHECK(back.version == "fio-3.33");
  CHECK(back.queue_depth_effective == 32);
  CHECK(back.workers == 4);
  CHECK(back.note == "by threads");
}

TEST_CASE("A direct line tells yes, no and unknown apart", "[record][lines]") {
  for (const std::optional<bool> real : {std::optional<bool>(), {true}, {false}}) {
    const DirectLine back = round_trip(DirectLine{true, real, "ext4"});
    CHECK(back.works);
    CHECK(back.real == real);
    CHECK(back.reason == "ext4");
  }
}

TEST_CASE("An error line keeps code, message and errno", "[record][lines]") {
  for (const ErrorCode code : {ErrorCode::unavailable, ErrorCode::refused, ErrorCode::failed,
                               ErrorCode::cancelled, ErrorCode::internal}) {
    const Error back = round_trip(ErrorLine{{code, "no space", 28}}).error;
    CHECK(back.code == code);
    CHECK(back.message == "no space");
    CHECK(back.system_errno == 28);
  }
}

TEST_CASE("A done line is a line", "[record][lines]") {
  CHECK(encode(DoneLine{}) == R"({"line":"done"})");
  round_trip(DoneLine{});
}

TEST_CASE("A line that is none is refused with its fault", "[record][lines]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "the text is no JSON near byte 1"},
      {"{\"line\":\"do", "the text ends in the middle, near byte 12"},
      {"[]", "the text is an array, not an object"},
      {"{}", "line is missing"},
      {R"({"line":null})", "line is null"},
      {R"({"line":"dance"})", "line is \"dance\", which is no kind of line"},
      {R"({"line":"phase","phase":"nap","loop":0})",
       "phase is \"nap\", which is none of its words"},
      {R"({"line":"phase","phase":"ramp","loop":4294967296})",
       "loop is 4294967296, which is more than 2^32 - 1"},
      {R"({"line":"progress","elapsed_ns":-1,"ios":0,"bytes":0})",
       "elapsed_ns is -1, not a whole number from 0 to 2^64 - 1"},
      {R"({"line":"error","code":"odd","message":"","errno":0})",
       "code is \"odd\", which is none of its words"},
      {R"({"line":"error","code":"failed","message":"","errno":4096})", "errno is no errno"},
      {R"({"line":"loop","loop":{}})", "loop.repeat is missing"}};
  for (const auto& [text, message] : cases) {
    CHECK(fault(text) == "a child's line cannot be read: " + message);
  }
}

}  // namespace sthd::record
