#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "random_report.hpp"
#include "runner/record/record.hpp"
#include "runner/record/share.hpp"
#include "support/catch.hpp"
#include "support/result_schema.hpp"

namespace sthd::record {

namespace {

using Json = nlohmann::json;

constexpr unsigned kBits = 62;  // valijson's integers are signed

const Json& schema_json() { return sthd::test::result_schema_json(); }
std::string fault(const Json& json) { return sthd::test::result_schema_fault(json); }

const Json& resolved(const Json& node) {
  if (!node.contains("$ref")) return node;
  return schema_json().at(Json::json_pointer(node.at("$ref").get<std::string>().substr(1)));
}

/// Keys of `json` that the schema does not describe, with their paths.
void collect_unknown(const Json& json, const Json& node, const std::string& path,
                     std::vector<std::string>& unknown) {
  const Json& rules = resolved(node);
  if (rules.contains("anyOf")) {  // null or one other
    collect_unknown(json, rules.at("anyOf").at(1), path, unknown);
    return;
  }
  if (json.is_array() && rules.contains("items")) {
    for (const Json& item : json) collect_unknown(item, rules.at("items"), path + "[]", unknown);
  }
  if (!json.is_object() || rules.contains("additionalProperties")) return;
  for (const auto& [key, value] : json.items()) {
    if (!rules.contains("properties") || !rules.at("properties").contains(key)) {
      unknown.push_back(path + "." + key);
    } else {
      collect_unknown(value, rules.at("properties").at(key), path + "." + key, unknown);
    }
  }
}

/// Every key of every object in `json`.
void collect_keys(const Json& json, const Json::json_pointer& here,
                  std::vector<Json::json_pointer>& keys) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      keys.push_back(here / key);
      collect_keys(value, here / key, keys);
    }
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) collect_keys(json[i], here / i, keys);
  }
}

/// What valijson's integers cannot hold becomes what they can.
void make_signed(Json& json) {
  if (json.is_structured()) {
    for (Json& each : json) make_signed(each);
  } else if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) {
    json = INT64_MAX;
  }
}

/// Always written, so the schema demands it; the reader has no use for it, or can do without it, as
/// the first records did.
bool is_for_people(const Json::json_pointer& where) {
  const std::string text = where.to_string();
  const std::string key = where.back();
  const bool whole_derived = text.find("/derived/") != std::string::npos &&
                             text.rfind("/derived/read") != text.size() - 13 &&
                             text.rfind("/derived/write") != text.size() - 14;
  return whole_derived || key == "derived" || key == "help" || text == "/schema_minor" ||
         text == "/judgements" || key == "order" || key == "score" || key == "interval_ns" ||
         key == "fio_command";
}

}  // namespace

TEST_CASE("Every report is valid result.v1", "[record][schema]") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const Report report = test::random_report(seed, kBits);
    CHECK(fault(Json::parse(to_json(report))) == "");
    CHECK(fault(Json::parse(to_json(shared(report)))) == "");
  }
  CHECK(fault(Json::parse(to_json(Report{}))) == "");
}

TEST_CASE("Every golden record is valid result.v1", "[record][schema]") {
  std::size_t seen = 0;
  const std::filesystem::path folder = STHD_SOURCE_DIR "/tests/golden/reports";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".json.approved.txt")) continue;
    CAPTURE(name);
    ++seen;
    std::ifstream file(entry.path());
    Json record = Json::parse(file);
    make_signed(record);
    CHECK(fault(record) == "");
  }
  CHECK(seen > 5);
}

TEST_CASE("The schema describes every key that is written", "[record][schema]") {
  std::vector<std::string> unknown;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    collect_unknown(Json::parse(to_json(test::random_report(seed, kBits))), schema_json(), "",
                    unknown);
  }
  CHECK(unknown.empty());
  collect_unknown({{"target", {{"paht", "x"}}}}, schema_json(), "", unknown);
  CHECK(unknown == std::vector<std::string>{".target.paht"});
}

TEST_CASE("The schema demands what the reader demands", "[record][schema]") {
  std::size_t demanded = 0;
  for (const std::uint64_t seed : {3, 5}) {
    const Json report = Json::parse(to_json(test::random_report(seed, kBits)));
    std::vector<Json::json_pointer> keys;
    collect_keys(report, Json::json_pointer(), keys);
    for (const Json::json_pointer& where : keys) {
      Json less = report;
      less.at(where.parent_pointer()).erase(where.back());
      CAPTURE(where.to_string());
      const bool valid = fault(less).empty();
      CHECK(valid == (from_json(less.dump()).ok() && !is_for_people(where)));
      if (!valid) ++demanded;
    }
  }
  CHECK(demanded > 200);
}

TEST_CASE("The schema refuses values that no report has", "[record][schema]") {
  const std::vector<std::pair<std::string, Json>> cases{
      {"/schema", "result.v2"},     {"/argv", "run"},          {"/tool/name", nullptr},
      {"/columns", Json::object()}, {"/target/kind", "tape"},  {"/plan/space_bytes", -1},
      {"/elapsed_ns", "5s"},        {"/plan/jobs", nullptr},   {"/environment/cpus", 1.5},
      {"/facts", nullptr},          {"/facts", {{"a", true}}}, {"/facts_unknown", {{"a", 1}}}};
  for (const auto& [pointer, value] : cases) {
    Json json = Json::parse(to_json(Report{}));
    json.at(Json::json_pointer(pointer)) = value;
    CAPTURE(pointer);
    CHECK(fault(json) != "");
  }
}

}  // namespace sthd::record
