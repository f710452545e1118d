#include "runner/compare/limit.hpp"

#include "support/catch.hpp"
#include "support/comparisons.hpp"
#include "support/reports.hpp"

namespace sthd::compare {
namespace {

using test::before_and_after;
using test::Labelled;

std::string fault(std::string_view text) {
  const auto limit = parse_limit(text);
  return limit ? "" : limit.error().message;
}

constexpr std::string_view kGrammar =
    "; it takes JOBID [read|write] METRIC > +N%, or < -N%, as in 'sync4k/threads=1 lat.p99 > +10%'";

LimitResult judged(std::string_view text, const Labelled& records = before_and_after()) {
  const auto limit = parse_limit(text);
  REQUIRE(limit.ok());
  const auto results = judge({records.reports, records.labels}, {*limit});
  REQUIRE(results.ok());
  REQUIRE(results->size() == 1);
  return results->front();
}

/// Rows of `before` and `after` IOPS, each repeated three times.
LimitVerdict verdict(std::string_view text, const Labelled& records = before_and_after()) {
  return judged(text, records).verdict;
}

}  // namespace

TEST_CASE("A limit is read, with and without blanks and sign", "[compare][limit]") {
  for (const char* text : {"sync4k/threads=1 lat.p99 > +10%", " sync4k/threads=1  lat.p99>10 % "}) {
    CAPTURE(text);
    const auto limit = parse_limit(text);
    REQUIRE(limit.ok());
    CHECK(limit->figure.row == "sync4k/threads=1");
    CHECK(limit->figure.metric == "lat.p99");
    CHECK_FALSE(limit->figure.op);
    CHECK(limit->above);
    CHECK(limit->percent == 10);
  }
  const auto below = parse_limit("a b,c=1 write iops < -2.5%");
  REQUIRE(below.ok());
  CHECK(below->figure.row == "a b,c=1");
  CHECK(below->figure.op == Op::write);
  CHECK_FALSE(below->above);
  CHECK(below->percent == -2.5);
}

TEST_CASE("A limit that cannot be read says what is wrong", "[compare][limit]") {
  const auto wrong = [](std::string_view text, std::string_view why) {
    CHECK(fault(text) ==
          "--fail-if \"" + std::string(text) + "\": " + std::string(why) + std::string(kGrammar));
  };
  wrong("a iops", "it has neither > nor <");
  wrong("a iops > 10", "\"10\" is no percentage");
  wrong("a iops > ten%", "\"ten%\" is no percentage");
  wrong("a iops > %", "\"%\" is no percentage");
  wrong("a iops > nan%", "\"nan%\" is no percentage");
  wrong("a iops > 1e999%", "\"1e999%\" is no percentage");
  wrong("iops > 10%", "\"iops\" names no row, as sync4k/threads=1 iops does");
  wrong("> 10%",
        "\"\" is no metric; there are iops, bw, bytes, seconds, lat.p50, lat.p99, lat.mean and "
        "more, as in sync4k/threads=1 lat.p99");
}

TEST_CASE("A limit is exceeded or kept by the whole interval alone", "[compare][limit]") {
  CHECK(verdict("a/threads=1 iops < -5%") == LimitVerdict::exceeded);  // 0.80
  CHECK(verdict("a/threads=1 iops < -40%") == LimitVerdict::kept);
  CHECK(verdict("a/threads=1 iops < -20%") == LimitVerdict::inconclusive);
  CHECK(verdict("a/threads=1 iops > +5%") == LimitVerdict::kept);
  CHECK(verdict("b/threads=1 iops > +5%") == LimitVerdict::exceeded);  // 1.20
  CHECK(verdict("b/threads=1 write lat.p50 > +10%") == LimitVerdict::kept);
  CHECK(verdict("a/threads=1 lat.p50 > +10%") == LimitVerdict::exceeded);
  CHECK(verdict("c/threads=1 iops < -5%") == LimitVerdict::inconclusive);
}

TEST_CASE("Each verdict has its sentence", "[compare][limit]") {
  const std::string exceeded = judged("a/threads=1 iops < -5%").text;
  CHECK(exceeded.find("row a/threads=1 write iops in after: -20.0 % (-2") == 0);
  CHECK(exceeded.find(" %) against before; all of the interval is beyond -5 %.") !=
        std::string::npos);
  CHECK(judged("a/threads=1 iops < -40%").text.find("; all of the interval keeps within -40 %.") !=
        std::string::npos);
  CHECK(judged("c/threads=1 iops < -5%")
            .text.find("; inconclusive: the interval holds -5 %, so more repeats are needed.") !=
        std::string::npos);
  CHECK(judged("d/threads=1 iops < -5%").text ==
        "row d/threads=1 write iops in after is not known on both sides, or not compared.");
  CHECK(judged("gone iops < -5%").verdict == LimitVerdict::unknown);
}

TEST_CASE("Without an interval a limit is inconclusive", "[compare][limit]") {
  const Labelled all = test::log_devices();
  const Labelled records{{all.reports[0], all.reports[1]}, {"none", "old"}};
  const LimitResult result = judged("stream bw < -5%", records);
  CHECK(result.verdict == LimitVerdict::inconclusive);
  CHECK(result.text ==
        "160M sync stream write bw in old: -87.1 % against none; inconclusive: too few repeats or "
        "samples for an interval.");
}

TEST_CASE("A limit is judged on each side after the first", "[compare][limit]") {
  const Labelled records = test::four_stages();
  const auto limit = parse_limit("sync4k/threads=1 iops < 0%");
  REQUIRE(limit.ok());
  const auto results = judge({records.reports, records.labels}, {*limit, *limit});
  REQUIRE(results.ok());
  CHECK(results->size() == 6);
}

TEST_CASE("A limit on a row that no record has is refused", "[compare][limit]") {
  const Labelled records = before_and_after();
  const auto limit = parse_limit("z iops < 0%");
  REQUIRE(limit.ok());
  const auto results = judge({records.reports, records.labels}, {*limit});
  REQUIRE_FALSE(results.ok());
  CHECK(results.error().message == "--fail-if \"z iops < 0%\": no record has a row \"z\"");
}

TEST_CASE("A label of two rows needs an id, or a direction", "[compare][limit]") {
  const Labelled records{{test::original_cdm_report(), test::original_cdm_report()}, {"A", "B"}};
  const auto judged_text = [&records](std::string_view text) {
    const auto limit = parse_limit(text);
    REQUIRE(limit.ok());
    const auto results = judge({records.reports, records.labels}, {*limit});
    return results ? "" : results.error().message;
  };
  CHECK(
      judged_text("SEQ1M Q8T1 bw < 0%") ==
      "--fail-if \"SEQ1M Q8T1 bw < 0%\": \"SEQ1M Q8T1\" is the label of several rows; name one by "
      "its id: SEQ1M Q8T1/op=read or SEQ1M Q8T1/op=write");
  CHECK(judged_text("SEQ1M Q8T1 write bw < 0%") == "");
}

}  // namespace sthd::compare
