#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "random_report.hpp"
#include "runner/record/record.hpp"
#include "same.hpp"
#include "support/catch.hpp"

namespace sthd::record {

namespace {

using Json = nlohmann::ordered_json;

/// One finished write job and one that has not run.
Report small_report() {
  Report report;
  report.run_id = "r";
  report.argv = {"speedtest-hd", "run"};
  Job job{"w/threads=2", "w", "4K T2", "", {}};
  job.workload.op = Op::write;
  job.workload.runtime_ns = 5 * kSecond;
  job.workload.engines = {"psync"};
  LoopResult loop;
  loop.write.emplace();
  loop.write->bytes = 8192;
  loop.write->ios = 2;
  loop.write->elapsed_ns = 1000000;
  loop.write->lat.add(100);
  loop.write->lat.add(300);
  loop.write->samples = {
      {100, 1, 4096, 104, {{CoarseGrid::index_of(100), 1}}},
      {200, 2, 8192, {}, {{CoarseGrid::index_of(300), 1}, {CoarseGrid::index_of(400), 1}}}};
  ResultRecord record;
  record.job = job;
  loop.counters = {{"window_ns", 1000000.0, ""}, {"disk.0.name", "vda", ""}};
  record.loops = {loop};
  record.verdict = {CacheClass::device,
                    Durability::not_shown,
                    Validity::suspect,
                    {{"application", 200.0}, {"device", 19.5}}};
  report.facts = {{"host.kernel", "6.1", ""},
                  {"cpu.cores", 8.0, ""},
                  {"cpu.epp", {}, "no cpufreq driver is loaded"}};
  report.plan.jobs = {job, {"r", "r", "later", "", {}}};
  report.records = {record};
  return report;
}

std::string fault(std::string_view text) {
  const Outcome<Report> report = from_json(text);
  return report.ok() ? "" : report.error().message;
}

/// The fault of the small report after `pointer` was set to `value`; erased when that is discarded.
std::string fault_with(const std::string& pointer, const Json& value) {
  Json json = Json::parse(to_json(small_report()));
  const Json::json_pointer where(pointer);
  if (value.is_discarded()) {
    json.at(where.parent_pointer()).erase(where.back());
  } else {
    json.at(where) = value;
  }
  return fault(json.dump());
}

const Json kErased(Json::value_t::discarded);

}  // namespace

TEST_CASE("A report survives the way to JSON and back unchanged", "[record][report]") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    const Report report = test::random_report(seed);
    const std::string text = to_json(report);
    const Outcome<Report> back = from_json(text);
    if (!back) FAIL(back.error().message);
    CHECK(test::same(*back, report));
    CHECK(to_json(*back) == text);
  }
}

TEST_CASE("The comparison behind the round trip sees a difference deep inside",
          "[record][report]") {
  const Report report = small_report();
  Report other = report;
  CHECK(test::same(report, other));
  other.records[0].loops[0].write->lat.add(7);
  CHECK_FALSE(test::same(report, other));
}

TEST_CASE("The JSON has the keys, units and order of result.v1", "[record][report]") {
  const Json json = Json::parse(to_json(small_report()));
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  CHECK(keys == std::vector<std::string>{"schema", "schema_minor", "tool", "run_id", "started_utc",
                                         "elapsed_ns", "argv", "profile", "columns", "expectations",
                                         "environment", "target", "facts", "facts_unknown", "plan",
                                         "jobs", "findings", "judgements"});
  CHECK(json["schema"] == "result.v1");
  const Json& job = json["jobs"][0];
  CHECK(job["op"] == "write");
  CHECK(job["reason"].is_null());
  CHECK(job["workload"]["block_size_bytes"] == 4096);
  CHECK(job["workload"]["runtime_ns"] == 5000000000);
  CHECK(job["workload"]["ios"].is_null());
  CHECK(job["workload"]["direct"] == "auto");
  CHECK_FALSE(job["loops"][0].contains("read"));
  CHECK(job["loops"][0]["write"]["lat"].dump() ==
        R"({"count":2,"min_ns":100,"max_ns":300,"sum_ns":400,"bins_scheme":"loglin6",)"
        R"("bins":[100,1,-102,1]})");
}

TEST_CASE("A latency whose distribution is not known has null for its bins", "[record][report]") {
  Report report = small_report();
  report.records[0].loops[0].write->lat.set_summary(2, 100, 300, 400);
  const Json json = Json::parse(to_json(report));
  CHECK(json["jobs"][0]["loops"][0]["write"]["lat"].dump() ==
        R"({"count":2,"min_ns":100,"max_ns":300,"sum_ns":400,"bins_scheme":"loglin6",)"
        R"("bins":null})");
  CHECK(json["jobs"][0]["derived"]["write"]["lat_ns"]["mean"] == 200);
  CHECK(json["jobs"][0]["derived"]["write"]["lat_ns"]["p50"].is_null());
  const Outcome<Report> back = from_json(json.dump());
  REQUIRE(back.ok());
  CHECK_FALSE(back->records[0].loops[0].write->lat.has_bins());
}

TEST_CASE("Facts are an object in their order, and why one is null stands beside it",
          "[record][report]") {
  const Json json = Json::parse(to_json(small_report()));
  CHECK(json["facts"].dump() == R"({"host.kernel":"6.1","cpu.cores":8,"cpu.epp":null})");
  CHECK(json["facts_unknown"].dump() == R"({"cpu.epp":"no cpufreq driver is loaded"})");
  const Json& loop = json["jobs"][0]["loops"][0];
  CHECK(loop["counters"].dump() == R"({"window_ns":1000000,"disk.0.name":"vda"})");
  CHECK(loop["counters_unknown"].dump() == "{}");
}

TEST_CASE("The verdict of a row has its words and layers", "[record][report]") {
  const Json json = Json::parse(to_json(small_report()));
  CHECK(json["jobs"][0]["verdict"].dump() ==
        R"({"cache_class":"device","durability":"not shown","validity":"suspect","layers":)"
        R"([{"name":"application","mean_ns":200},{"name":"device","mean_ns":19.5}]})");
}

TEST_CASE("A fact that is no finite number is unknown", "[record][report]") {
  Report report = small_report();
  report.facts = {{"clock.read_ns", std::nan(""), ""}, {"a.b", INFINITY, ""}};
  const Outcome<Report> back = from_json(to_json(report));
  REQUIRE(back.ok());
  REQUIRE(back->facts.size() == 2);
  CHECK(std::holds_alternative<std::monostate>(back->facts[0].value));
  CHECK(std::holds_alternative<std::monostate>(back->facts[1].value));
}

TEST_CASE("derived holds the figures of each direction, null where too few samples tell",
          "[record][report]") {
  const Json json = Json::parse(to_json(small_report()));
  CHECK(
      json["jobs"][0]["derived"].dump() ==
      R"({"write":{"iops":2000,"bw_bytes_per_s":8192000,"lat_ns":{"min":100,"mean":200,)"
      R"("p50":100,"p99":null,"p99_9":null,"max":300},"response_ns":null,"effective_depth":0.0004,)"
      R"("submit_share_percent":null}})");
}

TEST_CASE("A skipped job has no derived figures", "[record][report]") {
  Report report = small_report();
  report.records[0].status = Status::skipped;
  report.records[0].reason = "no engine";
  report.records[0].loops.clear();
  const Json job = Json::parse(to_json(report))["jobs"][0];
  CHECK(job["reason"] == "no engine");
  CHECK(job["derived"].dump() == "{}");
}

TEST_CASE("A planned job's workload is written once", "[record][report]") {
  const Json jobs = Json::parse(to_json(small_report()))["plan"]["jobs"];
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0]["id"] == "w/threads=2");
  CHECK(jobs[0]["workload"].is_null());
  CHECK(jobs[1]["workload"]["block_size_bytes"] == 4096);
}

TEST_CASE("Histograms, samples and what is flat deep inside stay on one line", "[record][report]") {
  const std::string text = to_json(small_report());
  CHECK(text.find("\n            \"lat\": {\"count\": 2, \"min_ns\": 100, \"max_ns\": 300, "
                  "\"sum_ns\": 400, \"bins_scheme\": \"loglin6\", \"bins\": [100,1,-102,1]},\n") !=
        std::string::npos);
  CHECK(text.find("\n            \"samples_bins_scheme\": \"loglin3\",\n"
                  "            \"samples\": {\"at_ns\": [100,200], \"ios\": [1,2], "
                  "\"bytes\": [4096,8192], \"max_ns\": [104,null], "
                  "\"bins\": [[96,1],[288,1,-2,1]]},\n") != std::string::npos);
  CHECK(text.find(
            "\n      \"workload\": {\"pattern\": \"sequential\", \"block_size_bytes\": 4096, ") !=
        std::string::npos);
  CHECK(text.find("\n  \"facts\": {\n    \"host.kernel\": \"6.1\",\n") != std::string::npos);
  CHECK(text.find("\n  \"argv\": [\"speedtest-hd\", \"run\"],\n") != std::string::npos);
  CHECK(text.substr(text.size() - 3) == "\n}\n");
}

TEST_CASE("Invalid UTF-8 becomes the replacement character", "[record][report]") {
  Report report = small_report();
  report.target.path = "/mnt/\xff";
  const Outcome<Report> back = from_json(to_json(report));
  REQUIRE(back.ok());
  CHECK(back->target.path == "/mnt/\xef\xbf\xbd");
}

TEST_CASE("Evidence that is no number is read back as none", "[record][report]") {
  Report report = small_report();
  report.findings = {{.code = "x", .evidence = {{"depth", std::nan("")}}}};
  const Outcome<Report> back = from_json(to_json(report));
  REQUIRE(back.ok());
  const auto* value = std::get_if<double>(&back->findings.at(0).evidence.at(0).value);
  REQUIRE(value != nullptr);
  CHECK(std::isnan(*value));
}

TEST_CASE("Unknown keys, derived and help are ignored on reading", "[record][report]") {
  Json json = Json::parse(to_json(small_report()));
  json["facts_unknown"]["no.such_fact"] = "a reason for nothing";
  json["later"] = 1;
  json["jobs"][0]["workload"]["later"] = {{"a", 1}};
  json["jobs"][0]["derived"] = 5;
  const Outcome<Report> back = from_json(json.dump());
  REQUIRE(back.ok());
  CHECK(test::same(*back, small_report()));
}

TEST_CASE("A record of a later minor version is read, and what is odd in it is put down to that",
          "[record][report]") {
  Json json = Json::parse(to_json(small_report()));
  json["schema_minor"] = 7;
  const Outcome<Report> back = from_json(json.dump());
  REQUIRE(back.ok());
  CHECK(test::same(*back, small_report()));
  json["jobs"][0]["status"] = "postponed";
  CHECK(fault(json.dump()) ==
        "the record cannot be read: jobs[0].status is \"postponed\", which is none of its words; a "
        "later version wrote it (schema_minor 7, and this one knows 0)");
  json["schema"] = "result.v2";
  CHECK(fault(json.dump()) ==
        "the record cannot be read: schema is \"result.v2\", and this version reads \"result.v1\" "
        "only");
}

TEST_CASE("A record from before there were judgements is read", "[record][report]") {
  Json json = Json::parse(to_json(small_report()));
  json.erase("judgements");
  const Outcome<Report> back = from_json(json.dump());
  REQUIRE(back.ok());
  CHECK(test::same(*back, small_report()));
}

TEST_CASE("A fault of a record names its path", "[record][report]") {
  struct Case {
    std::string pointer;
    Json value;
    std::string message;
  };
  const std::vector<Case> cases{
      {"/schema", "result.v2",
       "schema is \"result.v2\", and this version reads \"result.v1\" only"},
      {"/schema", kErased, "schema is missing"},
      {"/argv", "run", "argv is a string, not an array"},
      {"/argv/1", 5, "argv[1] is a number, not a string"},
      {"/jobs/0/id", nullptr, "jobs[0].id is null"},
      {"/jobs/0/status", "fine", "jobs[0].status is \"fine\", which is none of its words"},
      {"/jobs/0/workload/block_size_bytes", kErased,
       "jobs[0].workload.block_size_bytes is missing"},
      {"/jobs/0/workload/threads", "4",
       "jobs[0].workload.threads is a string, not a whole number from 0 to 2^64 - 1"},
      {"/jobs/0/workload/threads", 1.5,
       "jobs[0].workload.threads is 1.5, not a whole number from 0 to 2^64 - 1"},
      {"/jobs/0/workload/end_fsync", 1,
       "jobs[0].workload.end_fsync is a number, not true or false"},
      {"/jobs/0/loops/0/write/lat/count", 3,
       "jobs[0].loops[0].write.lat.count is 3, but the bins hold 2"},
      {"/jobs/0/loops/0/write/lat/min_ns", 301,
       "jobs[0].loops[0].write.lat.min_ns is 301, more than max_ns 300"},
      {"/jobs/0/loops/0/write/lat/bins/0", 301,
       "jobs[0].loops[0].write.lat.bins[0] is 301, which is no lower bound of a loglin6 bin"},
      {"/jobs/0/loops/0/write/lat/bins/3", UINT64_MAX,
       "jobs[0].loops[0].write.lat.bins[3] makes the number of samples overflow"},
      {"/jobs/0/loops/0/write/lat/bins", Json::array({1}),
       "jobs[0].loops[0].write.lat.bins is no array [lower_ns of the first bin, its count, …]"},
      {"/jobs/0/loops/0/write/lat/bins", Json::array({Json::array({100, 2})}),
       "jobs[0].loops[0].write.lat.bins is no array [lower_ns of the first bin, its count, …]"},
      {"/jobs/0/loops/0/write/lat/bins_scheme", "log2",
       "jobs[0].loops[0].write.lat.bins_scheme is \"log2\", not \"loglin6\""},
      {"/jobs/0/loops/0/write/samples_bins_scheme", "loglin6",
       "jobs[0].loops[0].write.samples_bins_scheme is \"loglin6\", not \"loglin3\""},
      {"/jobs/0/loops/0/write/samples_bins_scheme", kErased,
       "jobs[0].loops[0].write.samples_bins_scheme is missing"},
      {"/jobs/0/loops/0/write/samples/bins/1/0", 289,
       "jobs[0].loops[0].write.samples.bins[1][0] is 289, which is no lower bound of a loglin3 "
       "bin"},
      {"/jobs/0/loops/0/write/samples/bins/1/0", -8,
       "jobs[0].loops[0].write.samples.bins[1][0] is -8, which is no lower bound of a loglin3 bin"},
      {"/jobs/0/loops/0/write/samples/bins/1/2", -5000,
       "jobs[0].loops[0].write.samples.bins[1][2] is neither a count nor, negative, a number of "
       "empty bins"},
      {"/jobs/0/loops/0/write/samples/bins/1/2", -300,
       "jobs[0].loops[0].write.samples.bins[1][3] lies beyond the last loglin3 bin"},
      {"/jobs/0/loops/0/write/samples/bins/1/3", UINT64_MAX,
       "jobs[0].loops[0].write.samples.bins[1][3] makes the number of samples overflow"},
      {"/jobs/0/loops/0/write/samples/bins/1/1", "5",
       "jobs[0].loops[0].write.samples.bins[1][1] is neither a count nor, negative, a number of "
       "empty bins"},
      {"/jobs/0/loops/0/write/samples/bins/1", 5,
       "jobs[0].loops[0].write.samples.bins[1] is no array [lower_ns of the first bin, its count, "
       "…]"},
      {"/jobs/0/loops/0/write/samples", Json::array(),
       "jobs[0].loops[0].write.samples is an array, not an object"},
      {"/jobs/0/loops/0/write/samples/at_ns", kErased,
       "jobs[0].loops[0].write.samples.at_ns is missing"},
      {"/jobs/0/loops/0/write/samples/bytes", "none",
       "jobs[0].loops[0].write.samples.bytes is no array"},
      {"/jobs/0/loops/0/write/samples/ios", Json::array({1}),
       "jobs[0].loops[0].write.samples.ios has 1 slices, and the other columns have 2"},
      {"/jobs/0/loops/0/write/samples/max_ns/0", -1,
       "jobs[0].loops[0].write.samples.max_ns[0] is -1, not a whole number from 0 to 2^64 - 1"},
      {"/jobs/0/loops/0/kernel_workers", -1,
       "jobs[0].loops[0].kernel_workers is -1, not a whole number from 0 to 2^64 - 1"},
      {"/jobs/0/workload/distribution", "pareto",
       "jobs[0].workload.distribution is \"pareto\", which is none of its words"},
      {"/facts", kErased, "facts is missing"},
      {"/facts", "none", "facts is no object"},
      {"/facts_unknown", nullptr, "facts_unknown is null"},
      {"/facts/host.kernel", true, "facts.host.kernel is neither a number nor a text nor null"},
      {"/facts/cpu.epp", Json::array(), "facts.cpu.epp is neither a number nor a text nor null"},
      {"/facts_unknown/cpu.epp", 7, "facts_unknown.cpu.epp is a number, not a string"},
      {"/jobs/0/loops/0/counters", Json::array(), "jobs[0].loops[0].counters is no object"},
      {"/jobs/0/verdict", kErased, "jobs[0].verdict is missing"},
      {"/jobs/0/verdict/durability", "maybe",
       "jobs[0].verdict.durability is \"maybe\", which is none of its words"},
      {"/jobs/0/verdict/layers", "none", "jobs[0].verdict.layers is a string, not an array"},
      {"/jobs/0/verdict/layers/0/mean_ns", nullptr, "jobs[0].verdict.layers[0].mean_ns is null"},
      {"/target/kind", "tape", "target.kind is \"tape\", which is none of its words"},
      {"/plan/jobs/1/workload", nullptr,
       "plan.jobs[1] has no workload, and \"jobs\" has no such id"}};
  for (const Case& each : cases) {
    CHECK(fault_with(each.pointer, each.value) == "the record cannot be read: " + each.message);
  }
}

TEST_CASE("A column's precision is bounded, as text would grow without end", "[record][report]") {
  Report report = small_report();
  report.columns = {{"a", "A", "iops", {}, "", 18}};
  CHECK(fault(to_json(report)) ==
        "the record cannot be read: columns[0].precision is more than 17 digits");
}

TEST_CASE("Text that is no JSON, nests too deep or repeats a key is refused", "[record][report]") {
  const std::string prefix = "the record cannot be read: the text ";
  CHECK(fault("") == prefix + "is no JSON near byte 1");
  CHECK(fault("{} x") == prefix + "is no JSON near byte 4");
  CHECK(fault("{\n}\n x") == prefix + "is no JSON near line 3, byte 6 of the text");
  CHECK(fault("{\n") == prefix + "ends in the middle, near line 2, byte 3 of the text");
  CHECK(fault(std::string(1000000, '[')) == prefix + "nests deeper than 64 levels");
  CHECK(fault(R"({"schema":"result.v1","schema":"result.v1"})") ==
        prefix + "has the key \"schema\" twice in one object");
  CHECK(fault(R"({"schema":1e999})") == prefix + "has a number that is out of range");
  CHECK(fault("[1]") == prefix + "is an array, not an object");
}

TEST_CASE("Records from before repeats had an order and rows a fio command are read",
          "[record][report]") {
  Report report = small_report();
  Workload& workload = report.records[0].job.workload;
  workload.order = Order::grouped;
  workload.score = Score::max;
  workload.interval_ns = 5 * kSecond;
  report.plan.jobs[0].workload = workload;
  report.records[0].fio_command = "fio --name=row";
  Json json = Json::parse(to_json(report));
  CHECK(json["jobs"][0]["workload"]["order"] == "grouped");
  CHECK(json["jobs"][0]["workload"]["score"] == "max");
  CHECK(json["jobs"][0]["workload"]["interval_ns"] == 5000000000);
  CHECK(json["jobs"][0]["fio_command"] == "fio --name=row");
  json["jobs"][0].erase("fio_command");
  for (const char* key : {"order", "score", "interval_ns"}) json["jobs"][0]["workload"].erase(key);
  const Outcome<Report> back = from_json(json.dump());
  REQUIRE(back.ok());
  CHECK(back->records[0].fio_command.empty());
  CHECK(back->records[0].job.workload.order == Order::interleaved);
  CHECK(back->records[0].job.workload.score == Score::median);
  CHECK(back->records[0].job.workload.interval_ns == 0);
  CHECK(Json::parse(to_json(small_report()))["jobs"][0]["fio_command"].is_null());
}

TEST_CASE("Canonical jobs have sorted keys and no spaces, whatever ran", "[record][report]") {
  Job job{"a/threads=1", "a", "A", "", {}};
  job.workload.engines = {"psync", "libaio"};
  CHECK(canonical_jobs({}) == "[]");
  CHECK(canonical_jobs({job}) ==
        R"([{"checks":null,"id":"a/threads=1","label":"A","op":"read","template":"a","workload":{)"
        R"("backend":[],"backend_named":false,"block_size_bytes":4096,"buffer":"random",)"
        R"("bytes":null,"cache":"as_is","condition":"as-is","direct":"auto",)"
        R"("distribution":"uniform","end_fsync":false,)"
        R"("engine":["psync","libaio"],"engine_named":false,"interval_ns":0,"ios":null,)"
        R"("layout":"full","loops":1,"order":"interleaved","pattern":"sequential","poll":false,)"
        R"("queue_depth":1,"ramp_ns":0,)"
        R"("rate_iops_per_s":null,"read_percent":70,"region":"auto","repeat":1,"runtime_ns":null,)"
        R"("sample_ns":100000000,"score":"median","size_bytes":1073741824,"sqpoll":false,)"
        R"("sync":"none",)"
        R"("threads":1,"zipf_theta":null}}])");
}

}  // namespace sthd::record
