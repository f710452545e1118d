#include <cmath>

#include "runner/record/codec.hpp"

namespace sthd::record {

namespace {

Json maybe_figure(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? figure(*value) : Json(nullptr);
}

Json write_range(const ExpectedRange& range) {
  return {{"metric", range.metric},
          {"low", maybe_figure(range.low)},
          {"high", maybe_figure(range.high)},
          {"spec", maybe_figure(range.spec)}};
}

ExpectedRange read_range(const Reader& json) {
  return {json.at("metric").text(), json.maybe_number("low"), json.maybe_number("high"),
          json.maybe_number("spec")};
}

}  // namespace

Json write_expectation(const Expectation& expectation) {
  Json only_if = Json::array();
  for (const FactPattern& pattern : expectation.only_if) {
    only_if.push_back({{"fact", pattern.name}, {"glob", pattern.glob}});
  }
  Json ranges = Json::array();
  for (const ExpectedRange& range : expectation.ranges) ranges.push_back(write_range(range));
  return {{"id", expectation.id},
          {"kind", word(expectation.kind)},
          {"jobs", expectation.jobs},
          {"only_if", std::move(only_if)},
          {"source", null_if_empty(expectation.source)},
          {"remedy", null_if_empty(expectation.remedy)},
          {"ranges", std::move(ranges)}};
}

Expectation read_expectation(const Reader& json) {
  Expectation expectation;
  expectation.id = json.at("id").text();
  expectation.kind = json.at("kind").one_of<ExpectKind>();
  expectation.jobs = json.at("jobs").texts();
  for (const Reader& pattern : json.at("only_if").items()) {
    expectation.only_if.push_back({pattern.at("fact").text(), pattern.at("glob").text()});
  }
  expectation.source = json.text_or_empty("source");
  expectation.remedy = json.text_or_empty("remedy");
  for (const Reader& range : json.at("ranges").items()) {
    expectation.ranges.push_back(read_range(range));
  }
  return expectation;
}

Json write_judgement(const Judgement& judgement) {
  return {{"expectation", judgement.expectation},
          {"job", judgement.job},
          {"op", word(judgement.op)},
          {"range", write_range(judgement.range)},
          {"value", maybe_figure(judgement.value)},
          {"verdict", word(judgement.verdict)},
          {"reason", null_if_empty(judgement.reason)}};
}

Judgement read_judgement(const Reader& json) {
  Judgement judgement;
  judgement.expectation = json.at("expectation").text();
  judgement.job = json.at("job").text();
  judgement.op = json.at("op").one_of<Op>();
  judgement.range = read_range(json.at("range"));
  judgement.value = json.maybe_number("value");
  judgement.verdict = json.at("verdict").one_of<Expected>();
  judgement.reason = json.text_or_empty("reason");
  return judgement;
}

}  // namespace sthd::record
