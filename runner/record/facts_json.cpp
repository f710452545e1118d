#include <cmath>

#include "runner/record/codec.hpp"

namespace sthd::record {

namespace {

constexpr std::string_view kUnknown = "_unknown";

Json write_value(const Fact& fact) {
  if (const auto* number = std::get_if<double>(&fact.value)) {
    return std::isfinite(*number) ? figure(*number) : Json(nullptr);
  }
  if (const auto* text = std::get_if<std::string>(&fact.value)) return *text;
  return nullptr;
}

Fact read_fact(const std::string& name, const Reader& value) {
  if (value.json().is_string()) return {name, value.text(), {}};
  if (value.json().is_number()) return {name, value.number(), {}};
  value.fail("is neither a number nor a text nor null");
}

}  // namespace

void write_facts(Json& json, const std::string& key, const Facts& facts) {
  Json values = Json::object();
  Json reasons = Json::object();
  for (const Fact& fact : facts) {
    values[fact.name] = write_value(fact);
    if (!fact.unknown_because.empty()) reasons[fact.name] = fact.unknown_because;
  }
  json[key] = std::move(values);
  json[key + std::string(kUnknown)] = std::move(reasons);
}

Facts read_facts(const Reader& json, const std::string& key) {
  const Reader values = json.at(key);
  const Reader reasons = json.at(key + std::string(kUnknown));
  for (const Reader& each : {values, reasons}) {
    if (!each.json().is_object()) each.fail("is no object");
  }
  Facts facts;
  values.each_member([&](const std::string& name, const Reader& value) {
    Fact fact = value.json().is_null() ? Fact{name, {}, {}} : read_fact(name, value);
    if (const auto reason = reasons.find(name)) fact.unknown_because = reason->text();
    facts.push_back(std::move(fact));
  });
  return facts;
}

Json write_verdict(const Verdict& verdict) {
  Json layers = Json::array();
  for (const Layer& layer : verdict.layers) {
    layers.push_back({{"name", layer.name}, {"mean_ns", figure(layer.mean_ns)}});
  }
  return {{"cache_class", word(verdict.cache_class)},
          {"durability", word(verdict.durability)},
          {"validity", word(verdict.validity)},
          {"layers", std::move(layers)}};
}

Verdict read_verdict(const Reader& json) {
  Verdict verdict;
  verdict.cache_class = json.at("cache_class").one_of<CacheClass>();
  verdict.durability = json.at("durability").one_of<Durability>();
  verdict.validity = json.at("validity").one_of<Validity>();
  for (const Reader& layer : json.at("layers").items()) {
    verdict.layers.push_back({layer.at("name").text(), layer.at("mean_ns").number()});
  }
  return verdict;
}

}  // namespace sthd::record
