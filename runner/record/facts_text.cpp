#include "runner/record/codec.hpp"
#include "runner/record/record.hpp"

namespace sthd::record {

std::string to_json(const Facts& facts) {
  Json both = Json::object();
  write_facts(both, "facts", facts);
  Json json = both["facts"];
  json["unknown"] = both["facts_unknown"];
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sthd::record
