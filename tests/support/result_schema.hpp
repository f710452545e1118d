#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace sthd::test {

/// schemas/result.v1.schema.json.
inline const nlohmann::json& result_schema_json() {
  static const nlohmann::json kSchema = [] {
    std::ifstream file(STHD_SOURCE_DIR "/schemas/result.v1.schema.json");
    return nlohmann::json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  }();
  return kSchema;
}

/// Empty when `json` is valid by `schema`; else the innermost place and reason.
inline std::string fault_by(const valijson::Schema& schema, const nlohmann::json& json) {
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(json), &results)) {
    return "";
  }
  valijson::ValidationResults::Error error;
  std::string text = "invalid";
  if (results.popError(error)) {
    for (const std::string& step : error.context) text += step;
    text += ": " + error.description;
  }
  return text;
}

/// The same by a schema's text.
inline std::string schema_fault(const nlohmann::json& schema, const nlohmann::json& json) {
  valijson::Schema parsed;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), parsed);
  return fault_by(parsed, json);
}

/// The same by schemas/result.v1.schema.json.
inline std::string result_schema_fault(const nlohmann::json& json) {
  static const auto kSchema = [] {
    auto parsed = std::make_unique<valijson::Schema>();
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(result_schema_json()), *parsed);
    return parsed;
  }();
  return fault_by(*kSchema, json);
}

}  // namespace sthd::test
