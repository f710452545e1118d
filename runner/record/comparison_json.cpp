#include <cmath>
#include <utility>

#include "runner/record/json_io.hpp"
#include "runner/record/record.hpp"

namespace sthd::record {

namespace {

constexpr std::string_view kSchema = "comparison.v1";
constexpr std::uint32_t kSchemaMinor = 0;

Json maybe_figure(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? figure(*value) : Json(nullptr);
}

template <class T, class F>
Json write_all(const std::vector<T>& values, F write) {
  Json all = Json::array();
  for (const T& value : values) all.push_back(write(value));
  return all;
}

Json write_side(const Side& side) {
  return {{"label", side.label}, {"run_id", side.run_id}, {"started_utc", side.started_utc}};
}

Json write_difference(const Difference& difference) {
  return {{"what", difference.what}, {"values", write_all(difference.values, null_if_empty)}};
}

Json write_ratio(const Ratio& ratio) {
  return {{"ratio", maybe_figure(ratio.ratio)},
          {"low", maybe_figure(ratio.low)},
          {"high", maybe_figure(ratio.high)},
          {"change", word(ratio.change)}};
}

Json write_row(const ComparedRow& row) {
  return {{"job", row.job},
          {"label", row.label},
          {"op", word(row.op)},
          {"metric", row.metric},
          {"title", row.title},
          {"unit", row.unit},
          {"precision", row.precision},
          {"values", write_all(row.values, maybe_figure)},
          {"ratios", write_all(row.ratios, write_ratio)}};
}

Json write_not_compared(const NotCompared& row) {
  return {{"label", row.label}, {"reason", row.reason}};
}

Json write_stages(const StageTable& stages) {
  return {{"label_title", stages.label_title},
          {"titles", stages.titles},
          {"rows",
           write_all(
               stages.rows,
               [](const StageTable::Row& row) {
                 return Json{{"label", row.label}, {"cells", write_all(row.cells, null_if_empty)}};
               })},
          {"sentence", null_if_empty(stages.sentence)}};
}

Json write_limit(const LimitResult& limit) {
  return {{"limit", limit.limit}, {"verdict", word(limit.verdict)}, {"text", limit.text}};
}

}  // namespace

std::string to_json(const Comparison& comparison) {
  Json json{{"schema", kSchema}, {"schema_minor", kSchemaMinor}};
  json["sides"] = write_all(comparison.sides, write_side);
  json["differences"] = write_all(comparison.differences, write_difference);
  json["rows"] = write_all(comparison.rows, write_row);
  json["not_compared"] = write_all(comparison.not_compared, write_not_compared);
  json["stages"] = comparison.stages ? write_stages(*comparison.stages) : Json(nullptr);
  json["limits"] = write_all(comparison.limits, write_limit);
  return print(json);
}

}  // namespace sthd::record
