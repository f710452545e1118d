#include "runner/record/codec.hpp"
#include "runner/record/record.hpp"

namespace sthd::record {

Json write_workload(const Workload& workload) {
  return {{"pattern", word(workload.pattern)},
          {"block_size_bytes", workload.block_size},
          {"queue_depth", workload.queue_depth},
          {"threads", workload.threads},
          {"sync", word(workload.sync)},
          {"direct", word(workload.direct)},
          {"cache", word(workload.cache)},
          {"end_fsync", workload.end_fsync},
          {"runtime_ns", null_if_zero(workload.runtime_ns)},
          {"ramp_ns", workload.ramp_ns},
          {"loops", workload.loops},
          {"repeat", workload.repeat},
          {"order", word(workload.order)},
          {"score", word(workload.score)},
          {"interval_ns", workload.interval_ns},
          {"condition", word(workload.condition)},
          {"ios", null_if_zero(workload.ios)},
          {"bytes", null_if_zero(workload.bytes)},
          {"size_bytes", null_if_zero(workload.size)},
          {"region", word(workload.region)},
          {"layout", word(workload.layout)},
          {"buffer", word(workload.buffer)},
          {"read_percent", workload.read_percent},
          {"rate_iops_per_s", null_if_zero(workload.rate_iops)},
          {"distribution", word(workload.distribution)},
          {"zipf_theta", workload.zipf_theta == 0 ? Json(nullptr) : figure(workload.zipf_theta)},
          {"poll", workload.poll},
          {"sqpoll", workload.sqpoll},
          {"sample_ns", workload.sample_ns},
          {"engine", workload.engines},
          {"engine_named", workload.engine_named},
          {"backend", workload.backends},
          {"backend_named", workload.backend_named}};
}

Workload read_workload(const Reader& json, Op op) {
  Workload workload;
  workload.op = op;
  workload.pattern = json.at("pattern").one_of<Pattern>();
  workload.block_size = json.at("block_size_bytes").u64();
  workload.queue_depth = json.at("queue_depth").u32();
  workload.threads = json.at("threads").u32();
  workload.sync = json.at("sync").one_of<SyncMode>();
  workload.direct = json.at("direct").one_of<DirectMode>();
  workload.cache = json.at("cache").one_of<CacheMode>();
  workload.end_fsync = json.at("end_fsync").boolean();
  workload.runtime_ns = json.u64_or_zero("runtime_ns");
  workload.ramp_ns = json.at("ramp_ns").u64();
  workload.loops = json.at("loops").u32();
  workload.repeat = json.at("repeat").u32();
  // Records from before these were written did what they say by default.
  if (const auto order = json.find("order")) workload.order = order->one_of<Order>();
  if (const auto score = json.find("score")) workload.score = score->one_of<Score>();
  if (const auto interval = json.find("interval_ns")) workload.interval_ns = interval->u64();
  workload.condition = json.at("condition").one_of<Condition>();
  workload.ios = json.u64_or_zero("ios");
  workload.bytes = json.u64_or_zero("bytes");
  workload.size = json.u64_or_zero("size_bytes");
  workload.region = json.at("region").one_of<Region>();
  workload.layout = json.at("layout").one_of<Layout>();
  workload.buffer = json.at("buffer").one_of<BufferKind>();
  workload.read_percent = json.at("read_percent").u32();
  workload.rate_iops = json.u64_or_zero("rate_iops_per_s");
  workload.distribution = json.at("distribution").one_of<Distribution>();
  workload.zipf_theta = json.maybe_number("zipf_theta").value_or(0);
  workload.poll = json.at("poll").boolean();
  workload.sqpoll = json.at("sqpoll").boolean();
  workload.sample_ns = json.at("sample_ns").u64();
  workload.engines = json.at("engine").texts();
  workload.engine_named = json.at("engine_named").boolean();
  workload.backends = json.at("backend").texts();
  workload.backend_named = json.at("backend_named").boolean();
  return workload;
}

Json write_job_name(const Job& job) {
  return {{"id", job.id},
          {"template", job.template_id},
          {"label", job.label},
          {"checks", null_if_empty(job.checks)},
          {"op", word(job.workload.op)}};
}

Job read_job_name(const Reader& json) {
  Job job;
  job.id = json.at("id").text();
  job.template_id = json.at("template").text();
  job.label = json.at("label").text();
  job.checks = json.text_or_empty("checks");
  job.workload.op = json.at("op").one_of<Op>();
  return job;
}

Json write_job(const Job& job) {
  Json json = write_job_name(job);
  json["workload"] = write_workload(job.workload);
  return json;
}

Job read_job(const Reader& json) {
  Job job = read_job_name(json);
  job.workload = read_workload(json.at("workload"), job.workload.op);
  return job;
}

std::string canonical_jobs(const std::vector<Job>& jobs) {
  nlohmann::json all = nlohmann::json::array();  // the unordered kind sorts its keys
  for (const Job& job : jobs) all.push_back(nlohmann::json(write_job(job)));
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace sthd::record
