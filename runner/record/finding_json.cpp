#include <limits>

#include "runner/record/codec.hpp"

namespace sthd::record {

Json write_finding(const Finding& finding) {
  Json evidence = Json::object();
  for (const Evidence& item : finding.evidence) {
    const double* number = std::get_if<double>(&item.value);
    evidence[item.name] =
        number != nullptr ? figure(*number) : Json(*std::get_if<std::string>(&item.value));
  }
  return {{"code", finding.code},
          {"severity", word(finding.severity)},
          {"job", null_if_empty(finding.job)},
          {"op", finding.op ? word(*finding.op) : Json(nullptr)},
          {"evidence", std::move(evidence)},
          {"mark", finding.mark},
          {"text", finding.text},
          {"remedy", null_if_empty(finding.remedy)},
          {"help", "README.md#" + finding.code}};
}

Finding read_finding(const Reader& json) {
  Finding finding;
  finding.code = json.at("code").text();
  finding.severity = json.at("severity").one_of<Severity>();
  finding.job = json.text_or_empty("job");
  if (const auto op = json.at_or_null("op")) finding.op = op->one_of<Op>();
  const Reader evidence = json.at("evidence");
  if (!evidence.json().is_object()) evidence.fail("is no object");
  for (const auto& [name, value] : evidence.json().items()) {
    if (value.is_null()) {  // JSON has no word for a number that is none
      finding.evidence.push_back({name, std::numeric_limits<double>::quiet_NaN()});
    } else if (value.is_string()) {
      finding.evidence.push_back({name, evidence.at(name).text()});
    } else {
      finding.evidence.push_back({name, evidence.at(name).number()});
    }
  }
  finding.mark = json.at("mark").text();
  finding.text = json.at("text").text();
  finding.remedy = json.text_or_empty("remedy");
  return finding;
}

}  // namespace sthd::record
