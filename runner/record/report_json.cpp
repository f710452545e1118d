#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "runner/record/codec.hpp"
#include "runner/record/record.hpp"
#include "sthd/text.hpp"

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

/// Nothing where the workload stands with a job that was cut off.
std::optional<Job> read_planned(const Reader& json, const std::vector<ResultRecord>& records,
                                Extent extent) {
  if (json.at_or_null("workload")) return read_job(json);
  const std::string id = read_job_name(json).id;
  const auto record = std::find_if(records.begin(), records.end(),
                                   [&](const auto& each) { return each.job.id == id; });
  if (record != records.end()) return record->job;
  if (extent == Extent::whole) json.fail("has no workload, and \"jobs\" has no such id");
  return std::nullopt;
}

PlanInfo read_plan(const Reader& json, const std::vector<ResultRecord>& records, Extent extent) {
  PlanInfo plan;
  for (const Reader& each : json.at("jobs").items()) {
    if (auto job = read_planned(each, records, extent)) plan.jobs.push_back(std::move(*job));
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

/// What stands before "jobs"; the workloads of `finished` stand there.
Json write_header(const Report& report, const std::vector<ResultRecord>& finished) {
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
            {"expectations", write_all(report.expectations, write_expectation)},
            {"environment", write_environment(report.environment)},
            {"target", write_target(report.target)}};
  write_facts(json, "facts", report.facts);
  json["plan"] = write_plan(report.plan, finished);
  return json;
}

Json write_report(const Report& report) {
  Json json = write_header(report, report.records);
  json["jobs"] = write_all(report.records, write_record);
  json["findings"] = write_all(report.findings, write_finding);
  json["judgements"] = write_all(report.judgements, write_judgement);
  return json;
}

void check_schema(const Reader& json) {
  const Reader schema = json.at("schema");
  if (schema.text() == kSchema) return;
  schema.fail("is \"" + schema.text() + "\", and this version reads \"" + std::string(kSchema) +
              "\" only");
}

/// What a reader of a fault should know of a record that knows more than we do.
std::string written_later(const Json& json) {
  if (!json.is_object() || json.value("schema", Json()) != Json(kSchema)) return {};
  const Json minor = json.value("schema_minor", Json());
  if (!minor.is_number_unsigned() || minor.get<std::uint64_t>() <= kSchemaMinor) return {};
  return fmt::format("; a later version wrote it (schema_minor {}, and this one knows {})",
                     minor.get<std::uint64_t>(), kSchemaMinor);
}

/// Those of a part are gone: the analysis makes them anew.
void read_analysis(const Reader& json, Report& report) {
  for (const Reader& each : json.at("findings").items()) {
    report.findings.push_back(read_finding(each));
  }
  const auto judgements = json.find("judgements");  // the first records had none
  if (!judgements) return;
  for (const Reader& each : judgements->items()) {
    report.judgements.push_back(read_judgement(each));
  }
}

Report read_report(const Reader& json, Extent extent) {
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
  for (const Reader& each : json.at("expectations").items()) {
    report.expectations.push_back(read_expectation(each));
  }
  report.environment = read_environment(json.at("environment"));
  report.target = read_target(json.at("target"));
  report.facts = read_facts(json, "facts");
  for (const Reader& each : json.at("jobs").items()) report.records.push_back(read_record(each));
  report.plan = read_plan(json.at("plan"), report.records, extent);
  if (extent == Extent::whole) read_analysis(json, report);
  return report;
}

}  // namespace

std::string to_json(const Report& report) { return print(write_report(report)); }

std::string journal_begin(const Report& report) {
  std::string text = print(write_header(report, {}));
  text.resize(text.rfind("\n}"));
  return text + ",\n  \"jobs\": [\n";
}

std::string journal_job(const ResultRecord& record, bool first) {
  return (first ? "" : ",\n") + print_line(write_record(record));
}

Outcome<ReadText> read_text(std::string_view text, Extent extent) {
  std::string later;
  try {
    const Json json = parse(text);
    later = written_later(json);
    Report report = read_report(Reader(json), extent);
    return ReadText{std::move(report), json.at("plan").at("jobs").size()};
  } catch (const std::exception& e) {
    return Error{ErrorCode::refused, display(e.what()) + later, 0};
  }
}

Outcome<Report> from_json(std::string_view text) {
  auto read = read_text(text, Extent::whole);
  if (read) return std::move(read->report);
  return Error{ErrorCode::refused, "the record cannot be read: " + read.error().message, 0};
}

}  // namespace sthd::record
