#include <string>

#include "render.hpp"
#include "support/reports.hpp"

namespace sthd::test {
namespace {

/// The expectations of the second row of the slog table: met, missed, not judged, suspicious.
Report judged() {
  Report report = original_slog_report();
  report.expectations = {
      {"healthy-t4", ExpectKind::healthy, {}, {}, "a page", "Check the governor."},
      {"etcd", ExpectKind::require}};
  const std::string job = "sync4k/threads=4";
  report.judgements = {
      {"etcd", job, Op::write, {"iops", 1000, {}, {}}, 29873, Expected::met, ""},
      {"healthy-t4", job, Op::write, {"lat.p99", {}, 100e3, {}}, 317440, Expected::missed, ""},
      {"etcd", job, Op::write, {"sync.p99", {}, 10e6, {}}, {}, Expected::unknown, "no <syncs>"},
      {"healthy-t4", job, Op::write, {"sync.p99", {}, 10e6, {}}, {}, Expected::unknown, "no syncs"},
      {"gone", job, Op::write, {"bw", 1e6, {}, 2e6}, 122e6, Expected::above, ""},
      {"gone", job, Op::write, {"iops", 1e6, {}, {}}, 29873, Expected::missed, ""}};
  return report;
}

TEST_CASE("JUnit counts what its cases say", "[writeup][junit]") {
  const std::string text = rendered("junit", {judged(), {}});
  CHECK(text.find("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites ") == 0);
  CHECK(has(text,
            "<testsuites name=\"speedtest-hd\" tests=\"10\" failures=\"2\" errors=\"1\" "
            "skipped=\"1\" time=\"20.000\">"));
  CHECK(has(text,
            "<testsuite name=\"slog\" tests=\"10\" failures=\"2\" errors=\"1\" skipped=\"1\" "
            "time=\"20.000\" timestamp=\"2025-01-02T03:04:05\" hostname=\"nas\">"));
  CHECK(has(text, "<property name=\"target\" value=\"/mnt/pool\"/>"));
}

TEST_CASE("An expectation is a case with its figure, its range and its remedy",
          "[writeup][junit]") {
  const std::string text = rendered("junit", {judged(), {}});
  CHECK(has(text,
            "<testcase classname=\"slog.sync4k/threads=1\" name=\"measured\" time=\"5.000\"/>"));
  CHECK(has(text,
            "<testcase classname=\"slog.sync4k/threads=4\" name=\"etcd iops\" time=\"0.000\"/>"));
  CHECK(
      has(text,
          "name=\"healthy-t4 lat.p99\" time=\"0.000\">\n      <failure message=\"lat.p99 317.4 us, "
          "expected at most 100.0 us\" type=\"healthy\">lat.p99 317.4 us, expected at most 100.0 "
          "us\nCheck the governor. Source: a page</failure>"));
  CHECK(has(text,
            "name=\"etcd sync.p99\" time=\"0.000\">\n      <error message=\"no &lt;syncs&gt;\" "
            "type=\"unknown\">no &lt;syncs&gt;</error>"));
  CHECK(has(text,
            "name=\"healthy-t4 sync.p99\" time=\"0.000\">\n      <skipped message=\"no syncs\"/>"));
  CHECK(has(text,
            "<system-out>bw 122.00 MB/s, expected at least 1.00 MB/s (spec 2.00 MB/s): far better "
            "than the maker says</system-out>"));
  CHECK(has(text, "type=\"expectation\">iops 29873, expected at least 1000000</failure>"));
}

TEST_CASE("Rows are cases: failed and interrupted ones are errors", "[writeup][junit]") {
  const std::string text = rendered("junit", {mixed_report(), {}});
  CHECK(has(text, "tests=\"7\" failures=\"0\" errors=\"2\" skipped=\"3\""));
  CHECK(has(text,
            "<error message=\"pread at offset 4096: Input/output error (EIO)\" type=\"failed\">"));
  CHECK(has(text, "<error message=\"SIGINT after 2.5s\" type=\"interrupted\">"));
  CHECK(
      has(text, "<skipped message=\"tmpfs has no O_DIRECT and direct = &quot;required&quot;\"/>"));
  CHECK(has(text, "<skipped message=\"the run ended before this row\"/>"));
}

TEST_CASE("A mixed row's expectation names the direction", "[writeup][junit]") {
  Report report = judged();
  report.records[1].job.workload.op = Op::mixed;
  CHECK(has(rendered("junit", {report, {}}), "name=\"etcd write iops\""));
}

TEST_CASE("JUnit has a suite for each record, and leaves out what is unknown", "[writeup][junit]") {
  const std::vector<Report> reports{judged(), empty_report()};
  FormatInput input{reports[0], {}};
  input.reports = reports;
  const std::string text = rendered("junit", input);
  CHECK(has(text, "<testsuite name=\"slog\" tests=\"10\""));
  CHECK(has(text,
            "<testsuite name=\"speedtest-hd\" tests=\"0\" failures=\"0\" errors=\"0\" "
            "skipped=\"0\" time=\"0.000\">\n"));
  CHECK(plugins().formatter("junit")->info.several);
  CHECK(plugins().formatter("junit")->info.extensions == std::vector<std::string>{"xml"});
}

}  // namespace
}  // namespace sthd::test
