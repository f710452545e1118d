#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "runner/record/record.hpp"
#include "support/catch.hpp"
#include "support/result_schema.hpp"

namespace sthd::record {

namespace {

using Json = nlohmann::json;

Comparison full() {
  Comparison comparison;
  comparison.sides = {{"a", "1", "2025-01-02T03:04:05Z"}, {"b\xff", "", ""}};
  comparison.differences = {{"kernel", {"6.1", ""}}};
  comparison.rows = {{.job = "x/threads=1",
                      .label = "x",
                      .op = Op::write,
                      .metric = "lat.p50",
                      .title = "p50",
                      .unit = "us",
                      .precision = 1,
                      .values = {2.0, std::nan("")},
                      .ratios = {{0.5, 0.25, HUGE_VAL, Change::none_shown}}}};
  comparison.not_compared = {{"y", "not in b"}};
  comparison.stages = StageTable{"Stage", {"p50"}, {{"a", {"2.0"}}, {"b", {""}}}, ""};
  comparison.limits = {{"x iops > 1%", LimitVerdict::exceeded, "Too much."}};
  return comparison;
}

}  // namespace

TEST_CASE("A comparison as JSON has all that is in it", "[record][compare]") {
  const Json json = Json::parse(to_json(full()));
  CHECK(json.at("schema") == "comparison.v1");
  CHECK(json.at("schema_minor") == 0);
  CHECK(json.at("sides").at(0) ==
        Json({{"label", "a"}, {"run_id", "1"}, {"started_utc", "2025-01-02T03:04:05Z"}}));
  CHECK(json.at("sides").at(1).at("label") == "b\xef\xbf\xbd");
  CHECK(json.at("differences") == Json::parse(R"([{"what": "kernel", "values": ["6.1", null]}])"));
  CHECK(json.at("rows") == Json::parse(R"([{"job": "x/threads=1", "label": "x", "op": "write",
    "metric": "lat.p50", "title": "p50", "unit": "us", "precision": 1, "values": [2, null],
    "ratios": [{"ratio": 0.5, "low": 0.25, "high": null, "change": "none shown"}]}])"));
  CHECK(json.at("not_compared") == Json::parse(R"([{"label": "y", "reason": "not in b"}])"));
  CHECK(json.at("stages") == Json::parse(R"({"label_title": "Stage", "titles": ["p50"], "rows": [
    {"label": "a", "cells": ["2.0"]}, {"label": "b", "cells": [null]}], "sentence": null})"));
  CHECK(json.at("limits") ==
        Json::parse(R"([{"limit": "x iops > 1%", "verdict": "exceeded", "text": "Too much."}])"));
}

TEST_CASE("A comparison is valid by its schema, and what lacks a key is not", "[record][compare]") {
  std::ifstream file(STHD_SOURCE_DIR "/schemas/comparison.v1.schema.json");
  const auto schema = Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  CHECK(test::schema_fault(schema, Json::parse(to_json(Comparison{}))) == "");
  const Json json = Json::parse(to_json(full()));
  CHECK(test::schema_fault(schema, json) == "");
  for (const char* key : {"sides", "rows", "stages", "limits", "schema"}) {
    CAPTURE(key);
    Json without = json;
    without.erase(key);
    CHECK(test::schema_fault(schema, without) != "");
  }
  for (const char* where : {"/rows/0/ratios/0/low", "/sides/0/label", "/stages/rows/0/cells",
                            "/limits/0/verdict", "/differences/0/values"}) {
    CAPTURE(where);
    Json wrong = json;
    wrong[Json::json_pointer(where)] = true;
    CHECK(test::schema_fault(schema, wrong) != "");
  }
}

}  // namespace sthd::record
