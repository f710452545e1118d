#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "kit/table/expected.hpp"
#include "kit/text/xml.hpp"
#include "sthd/abi.hpp"
#include "sthd/metrics.hpp"

namespace sthd {
namespace {

using text::xml_escaped;

enum class Ending { passed, failure, error, skipped };

/// A test case as CI systems understand it: ours is a row that ran, or one figure of it that was
/// expected to lie in a range.
struct Case {
  std::string class_name;
  std::string name;
  double seconds = 0;
  Ending outcome = Ending::passed;
  std::string type;     ///< of a failure or an error
  std::string message;  ///< why it did not pass, or what a passed one says
  std::string text;     ///< more of it
};

std::string class_name(const Report& report, const std::string& job) {
  return report.profile.name.empty() ? job : fmt::format("{}.{}", report.profile.name, job);
}

const ResultRecord* record_of(const Report& report, const std::string& job) {
  const auto found =
      std::find_if(report.records.begin(), report.records.end(),
                   [&job](const ResultRecord& record) { return record.job.id == job; });
  return found == report.records.end() ? nullptr : &*found;
}

/// That the row was measured.
Case case_of(const Report& report, const Job& job) {
  Case result{class_name(report, job.id), "measured"};
  const ResultRecord* record = record_of(report, job.id);
  if (record == nullptr) {
    result.outcome = Ending::skipped;
    result.message = "the run ended before this row";
    return result;
  }
  const auto seconds = metric(*record, job.workload.op, "seconds");
  if (seconds) result.seconds = seconds->value;
  if (record->status == Status::ok) return result;
  result.outcome = record->status == Status::skipped ? Ending::skipped : Ending::error;
  result.type = to_text(record->status);
  result.message = record->reason.value_or("no reason is known");
  return result;
}

/// Whether a figure that is not known leaves something open: a requirement of this machine.
bool is_open(const Report& report, const Expectation* expectation) {
  return expectation != nullptr && expectation->kind == ExpectKind::require &&
         applies(*expectation, report.facts) == true;
}

/// That a figure lies in its range.
Case case_of(const Report& report, const Judgement& judgement) {
  const ExpectedRange& range = judgement.range;
  const Expectation* expectation = table::expectation_of(report, judgement);
  const ResultRecord* record = record_of(report, judgement.job);
  const bool mixed = record != nullptr && record->job.workload.op == Op::mixed;
  const std::string op = mixed ? fmt::format("{} ", to_text(judgement.op)) : "";
  Case result{class_name(report, judgement.job),
              fmt::format("{} {}{}", judgement.expectation, op, range.metric)};
  const std::string measured =
      fmt::format("{} {}, expected {}", range.metric,
                  table::metric_text(range.metric, judgement.value), table::range_text(range));
  switch (judgement.verdict) {
    case Expected::unknown:
      result.outcome = is_open(report, expectation) ? Ending::error : Ending::skipped;
      result.type = to_text(judgement.verdict);
      result.message = judgement.reason;
      return result;
    case Expected::met:
      return result;
    case Expected::above:
      result.message = measured + ": far better than the maker says";
      return result;
    case Expected::missed:
      break;
  }
  result.outcome = Ending::failure;
  result.type = expectation == nullptr ? "expectation" : to_text(expectation->kind);
  result.message = measured;
  if (expectation == nullptr) return result;
  result.text = expectation->remedy;
  if (!expectation->source.empty()) {
    result.text += fmt::format("{}Source: {}", result.text.empty() ? "" : " ", expectation->source);
  }
  return result;
}

std::vector<Case> cases_of(const Report& report) {
  std::vector<Case> cases;
  for (const Job& job : report.plan.jobs) cases.push_back(case_of(report, job));
  for (const Judgement& judgement : report.judgements) cases.push_back(case_of(report, judgement));
  return cases;
}

/// Attributes of a suite, or of all of them: counts and seconds.
struct Totals {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  double seconds = 0;

  void add(const Case& item) {
    ++tests;
    failures += item.outcome == Ending::failure ? 1 : 0;
    errors += item.outcome == Ending::error ? 1 : 0;
    skipped += item.outcome == Ending::skipped ? 1 : 0;
    seconds += item.seconds;
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                       tests, failures, errors, skipped, seconds);
  }
};

std::string body_of(const Case& item) {
  const std::string message = xml_escaped(item.message);
  const std::string text = xml_escaped(item.text);
  switch (item.outcome) {
    case Ending::passed:
      return message.empty() ? "" : fmt::format("<system-out>{}</system-out>", message);
    case Ending::skipped:
      return fmt::format("<skipped message=\"{}\"/>", message);
    case Ending::failure:
    case Ending::error:
      break;
  }
  const std::string_view tag = item.outcome == Ending::failure ? "failure" : "error";
  return fmt::format("<{0} message=\"{1}\" type=\"{2}\">{1}{3}{4}</{0}>", tag, message,
                     xml_escaped(item.type), text.empty() ? "" : "\n", text);
}

std::string text_of(const Case& item) {
  const std::string head =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                  xml_escaped(item.class_name), xml_escaped(item.name), item.seconds);
  const std::string body = body_of(item);
  if (body.empty()) return head + "/>\n";
  return fmt::format("{}>\n      {}\n    </testcase>\n", head, body);
}

/// " timestamp=\"2025-01-02T03:04:05\" hostname=\"nas\"": the form's time has no zone.
std::string when_and_where(const Report& report) {
  std::string out;
  const std::string& utc = report.started_utc;
  if (!utc.empty()) {
    out += fmt::format(" timestamp=\"{}\"", xml_escaped(utc.substr(0, utc.find('Z'))));
  }
  const std::string& host = report.environment.hostname;
  if (!host.empty()) out += fmt::format(" hostname=\"{}\"", xml_escaped(host));
  return out;
}

std::string properties(const Report& report) {
  std::string out = "    <properties>\n";
  const auto add = [&out](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    fmt::format_to(std::back_inserter(out), "      <property name=\"{}\" value=\"{}\"/>\n", name,
                   xml_escaped(value));
  };
  add("tool", report.tool.name);
  add("version", report.tool.version);
  add("run_id", report.run_id);
  add("target", report.target.path);
  add("filesystem", report.target.filesystem);
  add("kernel", report.environment.kernel);
  return out + "    </properties>\n";
}

/// JUnit XML, as CI systems read it: a suite for each record.
class JUnit final : public FormatterPlugin {
 protected:
  [[nodiscard]] FormatterInfo describe() const override { return {{"xml"}, false, false, true}; }

  [[nodiscard]] std::string format(const FormatInput& input) const override {
    const std::span<const Report> reports =
        input.reports.empty() ? std::span<const Report>(&input.report, 1) : input.reports;
    Totals totals;
    std::string suites;
    for (const Report& report : reports) suites += suite_of(report, totals);
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"speedtest-hd\" {}>\n{}"
        "</testsuites>\n",
        totals.text(), suites);
  }

 private:
  static std::string suite_of(const Report& report, Totals& all) {
    Totals totals;
    std::string body;
    for (const Case& item : cases_of(report)) {
      totals.add(item);
      all.add(item);
      body += text_of(item);
    }
    return fmt::format(
        "  <testsuite name=\"{}\" {}{}>\n{}{}  </testsuite>\n",
        xml_escaped(report.profile.name.empty() ? "speedtest-hd" : report.profile.name),
        totals.text(), when_and_where(report), properties(report), body);
  }
};

}  // namespace
}  // namespace sthd

STHD_FORMATTER_PLUGIN(sthd::JUnit, "junit", "Rows and expectations as test cases, for CI pages")
