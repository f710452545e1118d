#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runner/record/import.hpp"
#include "runner/record/record.hpp"
#include "same.hpp"
#include "support/catch.hpp"

namespace sthd::record {

namespace {

constexpr std::string_view kRefused = "the record cannot be read: the text ";

/// Texts that look like the end of a job, or of "jobs", to whoever does not look at quotes.
ResultRecord finished(const std::string& id, Status status) {
  ResultRecord record;
  record.job = {id, "w", "4K \"T1\" }],\"jobs\":[{", "é\\", {}};
  record.job.workload.op = Op::write;
  record.job.workload.engines = {"psync"};
  record.status = status;
  if (status != Status::ok) record.reason = "cut }\n] off\t\\\"";
  LoopResult loop;
  loop.write.emplace();
  loop.write->bytes = 8192;
  loop.write->ios = 2;
  loop.write->elapsed_ns = 1000000;
  loop.write->lat.add(100);
  loop.write->samples = {{100, 1, 4096, 104, {{CoarseGrid::index_of(100), 1}}},
                         {200, 1, 4096, {}, {}}};
  loop.counters = {{"window_ns", 1000000.0, ""}, {"disk.0.name", "v{d[a", ""}};
  record.loops = {loop};
  record.verdict.layers = {{"application", 200.0}};
  return record;
}

/// Three finished jobs and one that has not run, findings behind them.
Report report() {
  Report report;
  report.tool.version = "1";
  report.run_id = "jobs";
  report.started_utc = "2026-12-01T09:51:47Z";
  report.argv = {"speedtest-hd", "run", "[{\"jobs\": ["};
  report.profile.name = "jobs";
  report.columns = {{"iops", "IOPS", "iops", Op::write, "", 0}};
  report.facts = {{"jobs", "[{", ""}, {"cpu.epp", {}, "no cpufreq driver is loaded"}};
  report.records = {finished("w/threads=1", Status::ok), finished("w/threads=2", Status::failed),
                    finished("w/threads=4", Status::ok)};
  for (const ResultRecord& record : report.records) report.plan.jobs.push_back(record.job);
  report.plan.jobs.push_back({"w/threads=8", "w", "T8", "", {}});
  report.findings = {{.code = "outliers", .job = "w/threads=1", .text = "]}"}};
  return report;
}

/// Where each job ends in a printed record: its closing brace stands alone on a line.
std::vector<std::size_t> ends_of_jobs(const std::string& text) {
  std::vector<std::size_t> ends;
  std::size_t at = text.find("\n  \"jobs\": [\n");
  const std::size_t last = text.find("\n  ],\n", at);
  for (;;) {
    constexpr std::string_view kEnd = "\n    }";
    at = text.find(kEnd, at);
    if (at >= last) return ends;
    at += kEnd.size();
    ends.push_back(at);
  }
}

/// `text` cut at every byte: refused before `begin`, with each job from its end in `ends` on.
void check_cuts(const std::string& text, std::size_t begin, const std::vector<std::size_t>& ends) {
  const Report whole = report();
  std::size_t jobs = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto read = import_report(std::string_view(text).substr(0, length));
    if (length < begin) {
      if (read.ok() || read.error().message.find(kRefused) != 0) FAIL("read at " << length);
      continue;
    }
    if (jobs < ends.size() && ends[jobs] == length) ++jobs;
    if (!read.ok()) FAIL("not read at " << length << ": " << read.error().message);
    const auto& records = read->report.records;
    bool good = read->cut && read->planned == whole.plan.jobs.size() && records.size() == jobs &&
                read->report.facts.size() == 2 && read->report.findings.empty();
    for (std::size_t i = 0; i < records.size() && good; ++i) {
      good = test::same(records[i], whole.records[i]);
    }
    if (!good) FAIL("at " << length << " there are " << records.size() << " jobs, not " << jobs);
  }
  CHECK(jobs == whole.records.size());
}

std::string journal() {
  const Report whole = report();
  std::string text = journal_begin(whole);
  for (const ResultRecord& record : whole.records) {
    text += journal_job(record, &record == &whole.records.front());
  }
  return text;
}

}  // namespace

TEST_CASE("A record cut at any byte has every job that was whole", "[record][cut]") {
  std::string text = to_json(report());
  text.resize(text.rfind('}'));  // behind it nothing is missing
  const auto ends = ends_of_jobs(text);
  REQUIRE(ends.size() == 3);
  const std::string key = "\n  \"jobs\": [";
  check_cuts(text, text.find(key) + key.size(), ends);
  const auto whole = import_report(text + "}");
  REQUIRE(whole.ok());
  CHECK_FALSE(whole->cut);
  CHECK(whole->planned == 4);
  CHECK(test::same(whole->report, report()));
}

TEST_CASE("A journal cut at any byte has every job that was written", "[record][cut]") {
  const Report whole = report();
  std::string text = journal_begin(whole);
  const std::size_t begin = text.rfind('[') + 1;
  std::vector<std::size_t> ends;
  for (const ResultRecord& record : whole.records) {
    text += journal_job(record, ends.empty());
    ends.push_back(text.size());
  }
  check_cuts(text + " ", begin, ends);
}

TEST_CASE("A journal has a job a line, and the plan whole", "[record][cut]") {
  const std::string text = journal();
  const std::string begin = journal_begin(report());
  const std::string lines = text.substr(begin.size());
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 2);
  const auto read = import_report(text);
  REQUIRE(read.ok());
  CHECK(read->report.plan.jobs.size() == 4);
  Report rest = report();
  rest.findings.clear();
  CHECK(test::same(read->report, rest));
}

TEST_CASE("The plan of a cut record lacks what stood with the jobs that are gone",
          "[record][cut]") {
  const std::string text = to_json(report());
  const auto read = import_report(std::string_view(text).substr(0, ends_of_jobs(text)[0]));
  REQUIRE(read.ok());
  REQUIRE(read->report.plan.jobs.size() == 2);
  CHECK(read->report.plan.jobs[1].id == "w/threads=8");
  CHECK(read->planned == 4);
}

TEST_CASE("Zeros at the end of a journal are no part of it", "[record][cut]") {
  const auto read = import_report(journal() + ",\n{\"id\": " + std::string(4096, '\0'));
  REQUIRE(read.ok());
  CHECK(read->cut);
  CHECK(read->report.records.size() == 3);
}

TEST_CASE("What is there of a cut record must be ours and have a plan", "[record][cut]") {
  const auto fault = [](const std::string& text) {
    const auto read = import_report(text);
    return read.ok() ? std::string() : read.error().message;
  };
  std::string later = journal();
  later.replace(later.find("result.v1"), 9, "result.v7");
  CHECK_THAT(fault(later),
             Catch::Matchers::EndsWith(
                 "; in what is there, schema is \"result.v7\", and this version reads "
                 "\"result.v1\" only"));
  const std::string sorted = nlohmann::json::parse(to_json(report())).dump();
  CHECK_THAT(fault(sorted.substr(0, sorted.find("\"plan\":"))),
             Catch::Matchers::EndsWith("; in what is there, schema is missing"));
  std::string wrong = journal();
  wrong.replace(wrong.find("\"status\":\"failed\""), 17, "\"status\":\"gone\"");
  CHECK_THAT(fault(wrong),
             Catch::Matchers::EndsWith("; in what is there, jobs[1].status is \"gone\", which "
                                       "is none of its words"));
  CHECK(fault("{\"schema\": \"result.v1\", \"jobs\": 5") ==
        "the record cannot be read: the text ends in the middle, near byte 34");
}

}  // namespace sthd::record
