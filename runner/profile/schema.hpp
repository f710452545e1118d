#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "runner/profile/diagnostics.hpp"
#include "runner/profile/tree.hpp"

namespace sthd::profile {

/// The text of schemas/profile.v1.schema.json, compiled in.
std::string_view schema_text();

enum class SchemaPart {
  file,      ///< one file, as it is written
  complete,  ///< what must be there once the parents are merged in
};

/// The verdict, by a JSON Schema validator.
bool schema_accepts(SchemaPart part, const Value& root);

/// The faults, by our own walk over tree and schema: empty exactly when schema_accepts().
Diagnostics schema_faults(SchemaPart part, const Value& root);

/// Both: no faults when accepted; never empty when not.
Diagnostics validate(SchemaPart part, const Value& root);

/// The faults of one workload key's value, as in [defaults].
Diagnostics workload_faults(std::string_view key, const Value& value);

/// Names of all workload keys, in the schema's order.
const std::vector<std::string>& workload_keys();

/// The tree as JSON; what JSON has no word for becomes null.
nlohmann::json to_json(const Value& value);

/// The schema, parsed once. Keys keep the order of the file.
const nlohmann::ordered_json& schema_document();

}  // namespace sthd::profile
