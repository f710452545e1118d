#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runner/profile/tree.hpp"

// How the walk reads the words of a JSON Schema.
namespace sthd::profile {

using Schema = nlohmann::ordered_json;

/// The schema behind a `$ref`, or itself.
const Schema& resolved(const Schema& schema);

/// The object or list under `key`, or an empty one.
const Schema& part_of(const Schema& schema, const char* key);

/// The text under `key`, or "".
std::string text_in(const Schema& schema, const char* key);

/// The one branch that takes this type of value, or nullptr (branches of one anyOf never share a
/// type).
const Schema* branch(const Schema& schema, const Value& value);

std::vector<std::string> enum_texts(const Schema& schema);

/// "an integer", "one of "read", "write"", or what the schema calls it.
std::string wanted(const Schema& schema);

}  // namespace sthd::profile
