#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "random_report.hpp"
#include "runner/record/import.hpp"
#include "runner/record/record.hpp"
#include "support/catch.hpp"

namespace sthd::record {

namespace {

using Json = nlohmann::ordered_json;

std::string fixture() {
  std::ifstream file(STHD_SOURCE_DIR "/tests/fixtures/fio/psync-write-2-jobs.json");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// With everything in it at least once, and not much more.
std::string record() {
  Report report = test::random_report(21);
  report.records.resize(std::min<std::size_t>(report.records.size(), 1));
  for (ResultRecord& each : report.records) {
    each.loops.resize(std::min<std::size_t>(each.loops.size(), 1));
  }
  return to_json(report);
}

/// Every place in `json`.
void collect(const Json& json, const Json::json_pointer& here,
             std::vector<Json::json_pointer>& all) {
  all.push_back(here);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) collect(value, here / key, all);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) collect(json[i], here / i, all);
  }
}

Json nested(int depth) {
  Json json = Json::array();
  for (int i = 0; i < depth; ++i) json = Json::array({std::move(json)});
  return json;
}

const std::vector<Json>& wrong_values() {
  static const std::vector<Json> kValues{nullptr,
                                         true,
                                         -1,
                                         1.5,
                                         1e300,
                                         "x",
                                         UINT64_MAX,
                                         Json::array(),
                                         Json::object(),
                                         "\x01",
                                         "18446744073709551616",
                                         Json::array({Json::array({1, UINT64_MAX})}),
                                         nested(100)};
  return kValues;
}

/// How many of the texts made from `text` by one wrong value each are refused; whatever is accepted
/// can be written again.
std::size_t refusals(const std::string& text, std::size_t step) {
  const Json good = Json::parse(text);
  std::vector<Json::json_pointer> places;
  collect(good, Json::json_pointer(), places);
  std::size_t refused = 0;
  std::size_t number = 0;
  for (const auto& place : places) {
    for (const Json& value : wrong_values()) {
      if (number++ % step != 0) continue;
      Json bad = good;
      bad.at(place) = value;
      const auto report = import_report(bad.dump());
      if (!report.ok()) {
        ++refused;
        CHECK(report.error().code == ErrorCode::refused);
        CHECK(report.error().message.find('\n') == std::string::npos);
      } else if (report->source == Source::record) {
        CHECK(from_json(to_json(report->report)).ok());
      }
    }
  }
  return refused;
}

}  // namespace

TEST_CASE("A record cut off anywhere is read as far as it goes, or refused", "[record][hostile]") {
  const std::string text = record();
  REQUIRE(import_report(text).ok());
  const std::size_t end = text.rfind('}');
  for (std::size_t length = 0; length <= end; length += 1 + length / 40) {
    CAPTURE(length);
    const auto report = import_report(std::string_view(text).substr(0, length));
    if (report.ok()) {
      CHECK(report->cut);
      CHECK(from_json(to_json(report->report)).ok());
    } else {
      CHECK(report.error().message.find("the record cannot be read: the text ") == 0);
      CHECK(report.error().message.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("A report of fio that is cut off anywhere is refused", "[record][hostile]") {
  const std::string text = fixture();
  REQUIRE(import_report(text).ok());
  for (std::size_t length = 0; length <= text.rfind('}'); length += 97) {
    CAPTURE(length);
    CHECK_FALSE(import_report(std::string_view(text).substr(0, length)).ok());
  }
}

TEST_CASE("A wrong value anywhere in a record never does harm", "[record][hostile]") {
  CHECK(refusals(record(), 7) > 100);
}

TEST_CASE("A wrong value anywhere in fio's report never does harm", "[record][hostile]") {
  CHECK(refusals(fixture(), 23) > 50);
}

}  // namespace sthd::record
