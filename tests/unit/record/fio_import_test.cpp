#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runner/record/import.hpp"
#include "runner/record/record.hpp"
#include "same.hpp"
#include "sthd/metrics.hpp"
#include "support/catch.hpp"

namespace sthd::record {

namespace {

using Json = nlohmann::ordered_json;

std::string fixture() {
  std::ifstream file(STHD_SOURCE_DIR "/tests/fixtures/fio/psync-write-2-jobs.json");
  return {std::istreambuf_iterator<char>(file), {}};
}

Json latency(std::uint64_t count, std::uint64_t min, double mean, std::uint64_t max) {
  return {{"min", min}, {"max", max}, {"mean", mean}, {"stddev", 0.0}, {"N", count}};
}

Json idle() {
  return {{"io_bytes", 0},
          {"total_ios", 0},
          {"runtime", 0},
          {"slat_ns", latency(0, 0, 0, 0)},
          {"clat_ns", latency(0, 0, 0, 0)},
          {"lat_ns", latency(0, 0, 0, 0)}};
}

/// 1000 I/Os of 4 KiB in a second, 1 ms each, as `json` has them.
Json busy() {
  Json clat = latency(1000, 900, 990000, 2000000);
  clat["percentile"] = {{"50.000000", 970752}, {"99.950000", 1900544}, {"0.00", 0}};
  return {{"io_bytes", 4096000},
          {"total_ios", 1000},
          {"runtime", 1000},
          {"slat_ns", latency(1000, 100, 10000, 20000)},
          {"clat_ns", std::move(clat)},
          {"lat_ns", latency(1000, 1000, 1000000, 2010000)}};
}

Json entry(const std::string& name, Json options, Json read, Json write) {
  return {{"jobname", name},
          {"groupid", 0},
          {"error", 0},
          {"job options", std::move(options)},
          {"read", std::move(read)},
          {"write", std::move(write)},
          {"sync", {{"total_ios", 0}, {"lat_ns", latency(0, 0, 0, 0)}}},
          {"job_runtime", 1000},
          {"usr_cpu", 2.5},
          {"sys_cpu", 20.0},
          {"ctx", 1001}};
}

Json document(const std::vector<Json>& jobs) {
  return {{"fio version", "fio-3.33"}, {"timestamp", 1796072381}, {"jobs", jobs}};
}

Json one_reader(Json options = {{"rw", "randread"}, {"ioengine", "libaio"}, {"iodepth", "4"}}) {
  return document({entry("db", std::move(options), busy(), idle())});
}

Report imported(const Json& json) {
  auto report = from_fio_json(json.dump());
  if (!report) FAIL(report.error().message);
  return std::move(*report);
}

std::string fault(const Json& json) {
  const auto report = from_fio_json(json.dump());
  return report.ok() ? "" : report.error().message;
}

}  // namespace

TEST_CASE("A job of fio becomes a row with its figures", "[record][fio]") {
  const Report report = imported(one_reader());
  CHECK(report.tool.name == "fio");
  CHECK(report.tool.version == "3.33");
  REQUIRE(report.records.size() == 1);
  const ResultRecord& record = report.records[0];
  CHECK(record.status == Status::ok);
  CHECK(record.job.id == "db");
  CHECK(record.job.label == "db randread 4K Q4T1");
  CHECK(record.resolution.backend == "fio");
  CHECK(record.resolution.engine == "libaio");
  CHECK(record.resolution.backend_version == "fio-3.33");
  CHECK(record.resolution.direct_effective == false);
  CHECK(metric(record, Op::read, "iops")->value == 1000);
  CHECK(metric(record, Op::read, "bw")->value == 4096000);
  CHECK(metric(record, Op::read, "lat.mean")->value == 1000000);
  CHECK(metric(record, Op::read, "slat.mean")->value == 10000);
  CHECK(metric(record, Op::read, "clat.max")->value == 2000000);
  const LoopResult& loop = record.loops.at(0);
  CHECK_FALSE(loop.write.has_value());
  CHECK(loop.cpu->user_ns == 25 * kMillisecond);
  CHECK(loop.cpu->system_ns == 200 * kMillisecond);
  CHECK_FALSE(loop.cpu->voluntary_switches.has_value());
  CHECK(loop.submit_ns == 10 * kMillisecond);
  CHECK(loop.per_thread.size() == 1);
  CHECK(report.plan.jobs.size() == 1);
  CHECK(report.started_utc.empty());
}

TEST_CASE("Without bins there are no percentiles but those that fio printed", "[record][fio]") {
  const Report report = imported(one_reader());
  const ResultRecord& record = report.records.at(0);
  CHECK_FALSE(metric(record, Op::read, "lat.p50").has_value());
  CHECK_FALSE(metric(record, Op::read, "clat.p99").has_value());
  const Facts& counters = record.loops.at(0).counters;
  CHECK(fact_number(counters, "fio.read.clat_p50_ns") == 970752);
  CHECK(fact_number(counters, "fio.read.clat_p99_95_ns") == 1900544);
  CHECK(counters.size() == 2);
  std::vector<std::string> titles;
  titles.reserve(report.columns.size());
  for (const Column& column : report.columns) titles.push_back(column.title);
  CHECK(titles == std::vector<std::string>{"IOPS", "MB/s", "mean(us)"});
}

TEST_CASE("json+ has its bins taken over exactly, and the threads of a job added up",
          "[record][fio]") {
  const auto result = from_fio_json(fixture());
  if (!result) FAIL(result.error().message);
  const Json json = Json::parse(fixture());
  REQUIRE(result->records.size() == 1);
  const ResultRecord& record = result->records[0];
  CHECK(record.job.label == "j0 randwrite 4K Q1T2");
  CHECK(record.job.workload.sync == SyncMode::o_sync);
  CHECK(record.resolution.queue_depth_effective == 1);
  CHECK(record.resolution.workers == 2);
  const OpResult& write = *record.loops.at(0).write;
  std::map<std::uint64_t, std::uint64_t> bins;
  std::uint64_t ios = 0;
  for (const Json& job : json["jobs"]) {
    ios += job["write"]["total_ios"].get<std::uint64_t>();
    for (const auto& [key, count] : job["write"]["lat_ns"]["bins"].items()) {
      bins[LatencyHistogram::lower_of(LatencyHistogram::index_of(std::stoull(key)))] +=
          count.get<std::uint64_t>();
    }
  }
  CHECK(write.ios == ios);
  CHECK(write.lat.count() == ios);
  CHECK(write.lat.bins() ==
        std::vector<std::pair<std::uint64_t, std::uint64_t>>(bins.begin(), bins.end()));
  CHECK(record.loops.at(0).per_thread.size() == 2);
  CHECK(metric(record, Op::write, "lat.p50").has_value());
  CHECK(result->columns.back().metric == "lat.p99");
}

TEST_CASE("O_DIRECT that was asked for is not taken for real", "[record][fio]") {
  const Report report = imported(one_reader({{"rw", "read"}, {"direct", "1"}}));
  const Resolution& how = report.records.at(0).resolution;
  CHECK_FALSE(how.direct_effective.has_value());
  CHECK(how.direct_reason == "asked for; fio does not tell whether the filesystem honours it");
  CHECK(report.records[0].job.workload.direct == DirectMode::required);
}

TEST_CASE("A mixed job has both directions, one with fsync its own latency of that",
          "[record][fio]") {
  Json mixed = entry("m", {{"rw", "randrw"}, {"numjobs", "8"}}, busy(), busy());
  Json synced = entry("s", {{"rw", "write"}, {"fsync", "1"}}, idle(), busy());
  synced["groupid"] = 1;
  synced["sync"] = {{"total_ios", 1000}, {"lat_ns", latency(1000, 1, 5000, 9000)}};
  const Report report = imported(document({mixed, synced}));
  REQUIRE(report.records.size() == 2);
  const LoopResult& both = report.records[0].loops.at(0);
  CHECK(both.read->ios == 1000);
  CHECK(both.write->ios == 1000);
  CHECK(both.per_thread.empty());
  CHECK(both.notes ==
        std::vector<std::string>{"fio added the threads of the group up (group_reporting)"});
  CHECK(metric(report.records[1], Op::write, "sync.mean")->value == 5000);
  CHECK(report.columns.size() == 6);
  CHECK(report.columns[3].title == "W IOPS");
}

TEST_CASE("Jobs of one name or one group are told apart", "[record][fio]") {
  Json first = entry("a", {{"rw", "read"}}, busy(), idle());
  Json later = first;
  later["groupid"] = 1;
  const Report report = imported(document({first, first, later}));
  std::vector<std::string> labels;
  labels.reserve(report.records.size());
  for (const ResultRecord& record : report.records) labels.push_back(record.job.label);
  CHECK(labels ==
        std::vector<std::string>{"a read 4K Q1T1", "a read 4K Q1T1 #2", "a read 4K Q1T1 #3"});
  CHECK(report.records[1].job.id == "a #2");
  const std::vector<std::string> together{"fio ran it together with the other jobs of its group"};
  CHECK(report.records[0].loops.at(0).notes == together);
  CHECK(report.records[2].loops.at(0).notes.empty());
}

TEST_CASE("What fio says against a job is its status", "[record][fio]") {
  Json failed = entry("f", {{"rw", "read"}}, busy(), idle());
  failed["error"] = 28;
  Json nothing = entry("n", {{"rw", "write"}}, busy(), idle());
  Json early = entry("e", {{"rw", "read"}, {"runtime", "60"}, {"time_based", "1"}}, busy(), idle());
  Json trim = entry("t", {{"rw", "trim"}}, idle(), idle());
  Json unified = entry("u", {{"rw", "rw"}}, busy(), busy());
  unified["mixed"] = busy();
  unified.erase("read");
  const Report report = imported(document({failed, nothing, early, trim, unified}));
  std::vector<std::string> words;
  words.reserve(report.records.size());
  for (const ResultRecord& record : report.records) {
    words.push_back(std::string(to_text(record.status)) + ": " + record.reason.value_or(""));
  }
  CHECK(words ==
        std::vector<std::string>{"failed: fio reports error 28 (ENOSPC)",
                                 "failed: fio reports no I/O of this job",
                                 "interrupted: fio ended after 1s of the 1m asked for",
                                 "skipped: rw=trim has no row here; reads, writes and both have",
                                 "skipped: unified_rw_reporting hides its reads and writes"});
}

TEST_CASE("fio's disks are a row's own where there is one row and no ramp", "[record][fio]") {
  const Json disks = Json::parse(R"([
      {"name": "dm-0", "read_ios": 9, "write_ios": 9, "read_ticks": 9, "write_ticks": 9,
       "aggr_read_ios": 5, "aggr_write_ios": 5},
      {"name": "vda", "read_ios": 11, "write_ios": 2, "read_ticks": 5, "write_ticks": 3,
       "read_sectors": 88}])");
  Json json = one_reader();
  json["disk_util"] = disks;
  const Report report = imported(json);
  CHECK(fact_text(report.facts, "disk.0.name") == "vda");
  CHECK(report.facts.size() == 1);
  const ResultRecord& record = report.records.at(0);
  CHECK(disk_count(record) == 1);
  CHECK(disk_total(record, "read_ios") == 11);
  CHECK(device_bytes(record, Op::read) == 88 * 512);
  CHECK(device_mean_ns(record, Op::read) == 5e6 / 11);
  const Facts& counters = record.loops.at(0).counters;
  CHECK(find_fact(counters, "disk.0.write_bytes")->unknown_because == "fio tells it since 3.36");
  CHECK(find_fact(counters, "disk.0.flush_ios")->unknown_because == "fio does not tell");

  json = document(
      {entry("a", {{"rw", "read"}}, busy(), idle()), entry("b", {{"rw", "read"}}, busy(), idle())});
  json["disk_util"] = disks;
  const Report two = imported(json);
  CHECK(disk_count(two.records.at(1)) == 1);
  CHECK_FALSE(device_bytes(two.records.at(1), Op::read).has_value());
  CHECK(find_fact(two.records.at(1).loops.at(0).counters, "disk.0.read_ios")->unknown_because ==
        "fio counts it over all jobs together");
}

TEST_CASE("I/Os in flight at the end of the ramp are settled by the histogram", "[record][fio]") {
  Json read = busy();
  read["total_ios"] = 996;
  read["io_bytes"] = 1002 * 4096;
  const Json options{{"rw", "randread"}, {"iodepth", "4"}, {"ramp_time", "1"}};
  const Report settled = imported(document({entry("r", options, read, idle())}));
  CHECK(settled.records.at(0).loops.at(0).read->ios == 1000);
  CHECK(settled.records.at(0).loops.at(0).read->bytes == 4096000);
  read["io_bytes"] = 2000 * 4096;  // that is another matter
  const Report kept = imported(document({entry("r", options, read, idle())}));
  CHECK(kept.records.at(0).loops.at(0).read->ios == 996);
  CHECK(kept.records.at(0).loops.at(0).read->bytes == 8192000);
}

TEST_CASE("Blocks of several sizes have their mean", "[record][fio]") {
  Json read = busy();
  read["io_bytes"] = 20480000;
  const Report report =
      imported(document({entry("r", {{"bssplit", "4k/50:36k/50"}}, read, idle())}));
  const ResultRecord& record = report.records.at(0);
  CHECK(record.job.label == "r read mixed Q1T1");
  CHECK(record.job.workload.block_size == 20480);
  CHECK(record.loops.at(0).notes ==
        std::vector<std::string>{"bssplit=4k/50:36k/50",
                                 "blocks of several sizes: their mean stands for them"});
}

TEST_CASE("Before 3.18 fio does not say how many I/Os a latency is of", "[record][fio]") {
  Json json = one_reader();
  json["fio version"] = "fio-3.7-14-g0a1b";
  for (const char* key : {"slat_ns", "clat_ns", "lat_ns"}) {
    json["jobs"][0]["read"][key].erase("N");
  }
  json["jobs"][0].erase("job_runtime");  // since 3.8
  const Report report = imported(json);
  CHECK(report.tool.version == "3.7-14-g0a1b");
  CHECK(report.records.at(0).loops.at(0).read->lat.count() == 1000);
  CHECK_FALSE(report.records.at(0).loops.at(0).cpu.has_value());
}

TEST_CASE("With gtod_reduce there are no latencies", "[record][fio]") {
  Json read = busy();
  for (const char* key : {"slat_ns", "clat_ns", "lat_ns"}) read[key] = latency(0, 0, 0, 0);
  const Report report = imported(document({entry("r", {{"rw", "read"}}, read, idle())}));
  CHECK_FALSE(metric(report.records.at(0), Op::read, "lat.mean").has_value());
  CHECK(metric(report.records.at(0), Op::read, "iops")->value == 1000);
}

TEST_CASE("Of several documents among fio's messages the last complete one counts",
          "[record][fio]") {
  Json first = one_reader();
  first["jobs"][0]["jobname"] = "first";
  const std::string text = "fio: pid=7, err=0\nnote: something\n" + first.dump(2) + "\n" +
                           one_reader().dump(2) + "\nfio: terminating on signal 2\n{\n  \"cut";
  const auto report = import_report(text);
  if (!report) FAIL(report.error().message);
  CHECK(report->source == Source::fio);
  CHECK(report->report.records.at(0).job.id == "db");
  CHECK(import_report(one_reader().dump()).ok());  // on one line, as jq prints it
}

TEST_CASE("A key that fio prints twice is no fault", "[record][fio]") {
  std::string text = one_reader().dump();
  text.insert(1, R"("global options": {"bs": "4k", "bs": "8k"}, )");
  const auto report = from_fio_json(text);
  if (!report) FAIL(report.error().message);
  CHECK(report->records.at(0).job.workload.block_size == 8192);
}

TEST_CASE("What cannot be read of fio is refused by name", "[record][fio]") {
  const std::string head = "fio's report cannot be read: ";
  Json json = one_reader();
  json["fio version"] = "fio-2.16";
  CHECK(fault(json) == head + "fio-2.16 has other units; run it again with fio 3.0 or later");
  json["fio version"] = "elbencho 3";
  CHECK(fault(json) == head + "fio version is \"elbencho 3\", which is no version of fio");
  json = one_reader();
  json["client_stats"] = json["jobs"];
  CHECK(fault(json) ==
        head + "it is of a fio that ran as client; give the report of one that ran the jobs");
  json = one_reader();
  json["jobs"][0]["read"].erase("total_ios");
  CHECK(fault(json) == head + "jobs[0].read.total_ios is missing");
  json = one_reader();
  json["jobs"][0]["read"]["lat_ns"]["min"] = 3000000;
  CHECK(fault(json) == head + "jobs[0].read.lat_ns.min is 3000000, more than its max 2010000");
  json = one_reader();
  json["jobs"][0]["read"]["clat_ns"]["bins"] = {{"97\n", 1}};
  CHECK(fault(json).find("jobs[0].read.clat_ns.bins has the key \"97\n\"") != std::string::npos);
  json = one_reader();
  json["jobs"][0]["read"]["lat_ns"]["mean"] = 1e18;
  CHECK(fault(json) == head + "jobs[0].read.lat_ns.mean is too long for so many I/Os");
}

TEST_CASE("Our own records and fio's reports are told apart by what is in them", "[record][fio]") {
  Report ours = imported(one_reader());
  ours.profile.name = "\"fio version\" : ";
  const auto back = import_report(to_json(ours));
  if (!back) FAIL(back.error().message);
  CHECK(back->source == Source::record);
  CHECK(test::same(back->report, ours));
  CHECK(import_report("{}").error().message == "the record cannot be read: schema is missing");
  CHECK(import_report("").error().message ==
        "the record cannot be read: the text is no JSON near byte 1");
}

}  // namespace sthd::record
