#include <algorithm>

#include "runner/record/codec.hpp"
#include "runner/record/record.hpp"

namespace sthd::record {

namespace {

constexpr std::string_view kSchema = "result.v1";
constexpr std::uint32_t kSchemaMinor = 0;
constexpr std::uint32_t kMaxPrecision = 17;  // of a column: a double has no more digits

Json write_profile(const ProfileInfo& profile) {
  Json files = Json::array();
  for (const ProfileFile& file : profile.files) {
    files.push_back({{"path", file.path}, {"sha256", file.sha256}, {"text", file.text}});
  }
  return {{"name", profile.name},
          {"title", profile.title},
          {"files", std::move(files)},
          {"expanded_sha256", null_if_empty(profile.expanded_sha256)},
          {"overrides", profile.overrides}};
}

ProfileInfo read_profile(const Reader& json) {
  ProfileInfo profile;
  profile.name = json.at("name").text();
  profile.title = json.at("title").text();
  for (const Reader& file : json.at("files").items()) {
    profile.files.push_back(
        {file.at("path").text(), file.at("sha256").text(), file.at("text").text()});
  }
  profile.expanded_sha256 = json.text_or_empty("expanded_sha256");
  profile.overrides = json.at("overrides").texts();
  return profile;
}

Json write_column(const Column& column) {
  return {{"id", column.id},         {"title", column.title},
          {"metric", column.metric}, {"op", column.op ? word(*column.op) : Json(nullptr)},
          {"unit", column.unit},     {"precision", column.precision}};
}

Column read_column(const Reader& json) {
  Column column;
  column.id = json.at("id").text();
  column.title = json.at("title").text();
  column.metric = json.at("metric").text();
  if (const auto op = json.at_or_null("op")) column.op = op->one_of<Op>();
  column.unit = json.at("unit").text();
  const Reader precision = json.at("precision");
  if (precision.u64() > kMaxPrecision) precision.fail("is more than 17 digits");
  column.precision = static_cast<int>(precision.u64());
  return column;
}

Json write_environment(const Environment& environment) {
  return {{"hostname", null_if_empty(environment.hostname)},
          {"kernel", null_if_empty(environment.kernel)},
          {"distribution", null_if_empty(environment.distribution)},
          {"cpu_model", null_if_empty(environment.cpu_model)},
          {"cpus", null_if_unset(environment.cpus)},
          {"memory_bytes", null_if_unset(environment.memory_bytes)}};
}

Environment read_environment(const Reader& json) {
  Environment environment;
  environment.hostname = json.text_or_empty("hostname");
  environment.kernel = json.text_or_empty("kernel");
  environment.distribution = json.text_or_empty("distribution");
  environment.cpu_model = json.text_or_empty("cpu_model");
  if (const auto cpus = json.at_or_null("cpus")) environment.cpus = cpus->u32();
  environment.memory_bytes = json.maybe_u64("memory_bytes");
  return environment;
}

/// A finished job's workload stands in `jobs` and is null here; one that has not run is whole.
Json write_plan(const PlanInfo& plan, const std::vector<ResultRecord>& records) {
  Json jobs = Json::array();
  for (const Job& job : plan.jobs) {
    const auto record = std::find_if(records.begin(), records.end(),
                                     [&](const auto& each) { return each.job.id == job.id; });
    Json entry = write_job(job);
    if (record != records.end() && write_job(record->job) == entry) entry["workload"] = nullptr;
    jobs.push_back(std::move(entry));
  }
  return {{"jobs", std::move(jobs)},
          {"estimated_seconds", plan.estimated_seconds ? figure(*plan.estimated_seconds) : Json()},
          {"space_bytes", null_if_unset(plan.space_bytes)},
          {"written_bytes", null_if_unset(plan.written_bytes)}};
}

Job read_planned(const Reader& json, const std::vector<ResultRecord>& records) {
  if (json.at_or_null("workload")) return read_job(json);
  const std::string id = read_job_name(json).id;
  const auto record = std::find_if(records.begin(), records.end(),
                                   [&](const auto& each) { return each.job.id == id; });
  if (record == records.end()) json.fail("has no workload, and \"jobs\" has no such id");
  return record->job;
}

PlanInfo read_plan(const Reader& json, const std::vector<ResultRecord>& records) {
  PlanInfo plan;
  for (const Reader& job : json.at("jobs").items()) {
    plan.jobs.push_back(read_planned(job, records));
  }
  plan.estimated_seconds = json.maybe_number("estimated_seconds");
  plan.space_bytes = json.maybe_u64("space_bytes");
  plan.written_bytes = json.maybe_u64("written_bytes");
  return plan;
}

template <class T, class F>
Json write_all(const std::vector<T>& values, F write) {
  Json all = Json::array();
  for (const T& value : values) all.push_back(write(value));
  return all;
}

Json write_report(const Report& report) {
  Json json{{"schema", kSchema},
            {"schema_minor", kSchemaMinor},
            {"tool",
             {{"name", report.tool.name},
              {"version", report.tool.version},
              {"build", null_if_empty(report.tool.build)}}},
            {"run_id", report.run_id},
            {"started_utc", report.started_utc},
            {"elapsed_ns", null_if_unset(report.elapsed_ns)},
            {"argv", report.argv},
            {"profile", write_profile(report.profile)},
            {"columns", write_all(report.columns, write_column)},
            {"expectations", Json::array()},
            {"environment", write_environment(report.environment)},
            {"target", write_target(report.target)}};
  write_facts(json, "facts", report.facts);
  json["plan"] = write_plan(report.plan, report.records);
  json["jobs"] = write_all(report.records, write_record);
  json["findings"] = write_all(report.findings, write_finding);
  return json;
}

void check_schema(const Reader& json) {
  const Reader schema = json.at("schema");
  if (schema.text() == kSchema) return;
  schema.fail("is \"" + schema.text() + "\", and this version reads \"" + std::string(kSchema) +
              "\" only");
}

Report read_report(const Reader& json) {
  check_schema(json);
  Report report;
  const Reader tool = json.at("tool");
  report.tool = {tool.at("name").text(), tool.at("version").text(), tool.text_or_empty("build")};
  report.run_id = json.at("run_id").text();
  report.started_utc = json.at("started_utc").text();
  report.elapsed_ns = json.maybe_u64("elapsed_ns");
  report.argv = json.at("argv").texts();
  report.profile = read_profile(json.at("profile"));
  for (const Reader& each : json.at("columns").items()) report.columns.push_back(read_column(each));
  report.environment = read_environment(json.at("environment"));
  report.target = read_target(json.at("target"));
  report.facts = read_facts(json, "facts");
  for (const Reader& each : json.at("jobs").items()) report.records.push_back(read_record(each));
  report.plan = read_plan(json.at("plan"), report.records);
  for (const Reader& each : json.at("findings").items()) {
    report.findings.push_back(read_finding(each));
  }
  return report;
}

}  // namespace

std::string to_json(const Report& report) { return print(write_report(report)); }

Outcome<Report> from_json(std::string_view text) {
  try {
    const Json json = parse(text);
    return read_report(Reader(json));
  } catch (const std::exception& e) {
    return Error{ErrorCode::refused, std::string("the record cannot be read: ") + e.what(), 0};
  }
}

}  // namespace sthd::record
