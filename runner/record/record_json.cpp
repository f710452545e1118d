#include "runner/record/codec.hpp"
#include "sthd/metrics.hpp"

namespace sthd::record {

Json write_resolution(const Resolution& resolution) {
  Json tried = Json::array();
  for (const Attempt& attempt : resolution.tried) {
    tried.push_back({{"what", attempt.what}, {"refused", attempt.refused}});
  }
  return {{"backend", null_if_empty(resolution.backend)},
          {"engine", null_if_empty(resolution.engine)},
          {"backend_version", null_if_empty(resolution.backend_version)},
          {"direct_effective", null_if_unset(resolution.direct_effective)},
          {"direct_reason", null_if_empty(resolution.direct_reason)},
          {"queue_depth_effective", null_if_zero(resolution.queue_depth_effective)},
          {"workers", null_if_zero(resolution.workers)},
          {"note", null_if_empty(resolution.note)},
          {"reason", null_if_empty(resolution.reason)},
          {"tried", std::move(tried)}};
}

Resolution read_resolution(const Reader& json) {
  Resolution resolution;
  resolution.backend = json.text_or_empty("backend");
  resolution.engine = json.text_or_empty("engine");
  resolution.backend_version = json.text_or_empty("backend_version");
  resolution.direct_effective = json.maybe_boolean("direct_effective");
  resolution.direct_reason = json.text_or_empty("direct_reason");
  resolution.queue_depth_effective = json.u32_or_zero("queue_depth_effective");
  resolution.workers = json.u32_or_zero("workers");
  resolution.note = json.text_or_empty("note");
  resolution.reason = json.text_or_empty("reason");
  for (const Reader& attempt : json.at("tried").items()) {
    resolution.tried.push_back({attempt.at("what").text(), attempt.at("refused").text()});
  }
  return resolution;
}

namespace {

Json figure_of(const ResultRecord& record, Op op, std::string_view name) {
  const auto value = typical(record, op, name);
  return value ? figure(value->value) : Json(nullptr);
}

Json latencies_of(const ResultRecord& record, Op op, const std::string& family) {
  Json figures = Json::object();
  for (const char* name : {"min", "mean", "p50", "p99", "p99_9", "max"}) {
    figures[name] = figure_of(record, op, family + name);
  }
  return figures;
}

}  // namespace

Json write_derived(const ResultRecord& record) {
  Json derived = Json::object();
  for (const Op op : {Op::read, Op::write}) {
    if (!metric(record, op, "bytes")) continue;
    derived[std::string(to_text(op))] = {
        {"iops", figure_of(record, op, "iops")},
        {"bw_bytes_per_s", figure_of(record, op, "bw")},
        {"lat_ns", latencies_of(record, op, "lat.")},
        {"response_ns", metric(record, op, "response.max") ? latencies_of(record, op, "response.")
                                                           : Json(nullptr)},
        {"effective_depth", figure_of(record, op, "depth")},
        {"submit_share_percent", figure_of(record, op, "submit_share")}};
  }
  return derived;
}

Json write_record(const ResultRecord& record) {
  Json json = write_job_name(record.job);
  json["status"] = word(record.status);
  json["reason"] = null_if_unset(record.reason);
  json["workload"] = write_workload(record.job.workload);
  json["resolution"] = write_resolution(record.resolution);
  json["loops"] = Json::array();
  for (const LoopResult& loop : record.loops) json["loops"].push_back(write_loop(loop));
  json["verdict"] = write_verdict(record.verdict);
  json["fio_command"] = null_if_empty(record.fio_command);
  json["derived"] = write_derived(record);
  return json;
}

ResultRecord read_record(const Reader& json) {
  ResultRecord record;
  record.job = read_job(json);
  record.status = json.at("status").one_of<Status>();
  if (const auto reason = json.at_or_null("reason")) record.reason = reason->text();
  record.resolution = read_resolution(json.at("resolution"));
  for (const Reader& loop : json.at("loops").items()) record.loops.push_back(read_loop(loop));
  record.verdict = read_verdict(json.at("verdict"));
  if (const auto command = json.find("fio_command")) record.fio_command = command->text();
  return record;
}

}  // namespace sthd::record
