#include "runner/profile/schema_words.hpp"

#include <fmt/format.h>

#include "runner/profile/schema.hpp"

namespace sthd::profile {
namespace {

bool type_fits(const std::string& type, const Value& value) {
  switch (value.kind) {
    case Kind::table:
      return type == "object";
    case Kind::array:
      return type == "array";
    case Kind::string:
      return type == "string";
    case Kind::integer:
      return type == "integer" || type == "number";
    case Kind::floating:
      return type == "number";
    case Kind::boolean:
      return type == "boolean";
    case Kind::null:
      return false;
  }
  return false;
}

}  // namespace

const nlohmann::ordered_json& schema_document() {
  static const Schema document = Schema::parse(schema_text());
  return document;
}

const Schema& resolved(const Schema& schema) {
  const auto reference = schema.find("$ref");
  if (reference == schema.end()) return schema;
  const std::string pointer = reference->get<std::string>().substr(1);  // after '#'
  return resolved(schema_document().at(Schema::json_pointer(pointer)));
}

const Schema& part_of(const Schema& schema, const char* key) {
  static const Schema kNothing = Schema::object();
  const auto found = schema.find(key);
  return found != schema.end() ? *found : kNothing;
}

std::string text_in(const Schema& schema, const char* key) {
  const auto found = schema.find(key);
  return found != schema.end() ? found->get<std::string>() : std::string();
}

const Schema* branch(const Schema& schema, const Value& value) {
  const Schema& here = resolved(schema);
  const auto any = here.find("anyOf");
  if (any == here.end()) {
    return type_fits(text_in(here, "type"), value) ? &here : nullptr;
  }
  for (const Schema& candidate : *any) {
    if (const Schema* found = branch(candidate, value)) return found;
  }
  return nullptr;
}

std::vector<std::string> enum_texts(const Schema& schema) {
  std::vector<std::string> texts;
  for (const Schema& text : schema.at("enum")) {
    texts.push_back(text.is_string() ? text.get<std::string>() : text.dump());
  }
  return texts;
}

std::string wanted(const Schema& schema) {
  const Schema& here = resolved(schema);
  if (std::string title = text_in(here, "title"); !title.empty()) return title;
  const std::string type = text_in(here, "type");
  if (here.contains("enum") && type == "string") {
    const std::vector<std::string> texts = enum_texts(here);
    return (texts.size() > 1 ? "one of " : "") + list_in_quotes(texts);
  }
  if (here.contains("enum")) return enum_texts(here).front();
  if (type == "integer") return "an integer";
  if (type == "boolean") return "true or false";
  if (type == "array") return "a list";
  if (type == "object") return "a table";
  return type == "number" ? "a number" : "a string";
}

}  // namespace sthd::profile
