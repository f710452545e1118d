#include <nlohmann/json.hpp>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "runner/profile/schema.hpp"

namespace sthd::profile {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

/// A schema and the document it refers to.
struct Prepared {
  nlohmann::json document;
  valijson::Schema schema;

  explicit Prepared(nlohmann::json text) : document(std::move(text)) {
    valijson::SchemaParser parser;
    parser.populateSchema(Adapter(document), schema);
  }
};

const Prepared& prepared(SchemaPart part) {
  // Never destroyed: taking them apart at the end takes as long as making them.
  static const auto& whole = *new nlohmann::json(nlohmann::json::parse(schema_text()));
  static const auto& file = *new Prepared(whole);
  static const auto& complete = *new Prepared([] {
    nlohmann::json result = whole.at("definitions").at("complete");
    result["definitions"] = whole.at("definitions");
    return result;
  }());
  return part == SchemaPart::file ? file : complete;
}

}  // namespace

nlohmann::json to_json(const Value& value) {
  switch (value.kind) {
    case Kind::table: {
      nlohmann::json result = nlohmann::json::object();
      for (const Entry& entry : value.entries) result[entry.key] = to_json(entry.value);
      return result;
    }
    case Kind::array: {
      nlohmann::json result = nlohmann::json::array();
      for (const Value& item : value.items) result.push_back(to_json(item));
      return result;
    }
    case Kind::string:
      return value.text;
    case Kind::integer:
      return value.integer;
    case Kind::floating:
      return value.floating;
    case Kind::boolean:
      return value.boolean;
    case Kind::null:
      return nullptr;
  }
  return nullptr;
}

bool schema_accepts(SchemaPart part, const Value& root) {
  static valijson::Validator validator;  // kept: it holds the compiled patterns
  const nlohmann::json document = to_json(root);
  return validator.validate(prepared(part).schema, Adapter(document), nullptr);
}

}  // namespace sthd::profile
