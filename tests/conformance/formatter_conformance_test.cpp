#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <locale>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/record/record.hpp"
#include "runner/record/share.hpp"
#include "sthd/text.hpp"
#include "support/catch.hpp"
#include "support/comparisons.hpp"
#include "support/named_report.hpp"
#include "support/page.hpp"
#include "support/plugins.hpp"
#include "support/reports.hpp"

namespace sthd::test {
namespace {

/// A formatter with a report, or with records and their comparison.
struct Case {
  std::string name;
  const host::FormatterEntry& entry;
  CannedReport canned;
  std::string json;
  std::optional<CannedComparison> compared;

  [[nodiscard]] std::string render() const {
    FormatInput input{canned.report, json};
    if (compared) {
      input.reports = compared->reports;
      input.comparison = &compared->comparison;
    }
    const auto text = entry.formatter->render(input);
    REQUIRE(text.ok());
    return *text;
  }
};

/// Every formatter that compares with every canned comparison.
void add_comparisons(std::vector<Case>& all) {
  for (const host::FormatterEntry& entry : plugins().formatters()) {
    if (!entry.info.compares) continue;
    for (CannedComparison& canned : canned_comparisons()) {
      std::string json = record::to_json(canned.comparison);
      CannedReport first{canned.name, canned.reports.front()};
      all.push_back({entry.name + " with comparison " + canned.name, entry, std::move(first),
                     std::move(json), std::move(canned)});
    }
  }
}

/// Every formatter there is with every canned report and comparison.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const host::FormatterEntry& entry : plugins().formatters()) {
    for (CannedReport& canned : canned_reports()) {
      std::string json = record::to_json(canned.report);
      all.push_back({entry.name + " with report " + canned.name, entry, std::move(canned),
                     std::move(json), std::nullopt});
    }
  }
  add_comparisons(all);
  REQUIRE_FALSE(all.empty());
  return all;
}

/// Lead bytes with as many continuation bytes as they announce; not meant for hostile encodings,
/// display() has its own tests.
bool is_utf8(std::string_view text) {
  std::size_t expected = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continuation = (byte & 0xc0U) == 0x80U;
    if (continuation != (expected > 0) || byte > 0xf4) return false;
    expected = continuation  ? expected - 1
               : byte < 0xc0 ? 0
               : byte < 0xe0 ? 1
               : byte < 0xf0 ? 2
                             : 3;
  }
  return expected == 0;
}

/// The words of a text in lower case.
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!result.back().empty()) {
      result.emplace_back();
    }
  }
  return result;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

/// Row labels in the order of the plan, each once.
std::vector<std::string> labels(const Report& report) {
  std::vector<std::string> result;
  for (const Job& job : report.plan.jobs) {
    if (std::find(result.begin(), result.end(), job.label) == result.end()) {
      result.push_back(job.label);
    }
  }
  return result;
}

/// The report as it was when the first `rows` rows had finished.
Report early(Report report, std::size_t rows) {
  std::vector<std::string> done = labels(report);
  done.resize(std::min(rows, done.size()));
  const auto unfinished = [&done](const ResultRecord& record) {
    return std::find(done.begin(), done.end(), record.job.label) == done.end();
  };
  report.records.erase(std::remove_if(report.records.begin(), report.records.end(), unfinished),
                       report.records.end());
  report.elapsed_ns.reset();
  return report;
}

/// What a program for German readers might set: nothing of ours may follow it.
struct GermanNumbers : std::numpunct<char> {
  [[nodiscard]] char do_decimal_point() const override { return ','; }
  [[nodiscard]] char do_thousands_sep() const override { return '.'; }
  [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("Formatters end every text with a newline", "[conformance][formatter]") {
  for (const Case& item : cases()) {
    INFO(item.name);
    const std::string text = item.render();
    REQUIRE_FALSE(text.empty());
    CHECK(text.back() == '\n');
  }
}

TEST_CASE("Formatters let no control character and no broken UTF-8 through",
          "[conformance][formatter]") {
  for (const Case& item : cases()) {
    INFO(item.name);
    const std::string text = item.render();
    const bool embeds_record = text.find(item.json) != std::string::npos;
    for (const std::string& line : lines(text)) {
      const bool control = std::any_of(line.begin(), line.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < 0x20; });
      CHECK_FALSE(control);
      // JSON keeps texts as they were; elsewhere nothing is left that display() would change.
      if (!embeds_record) CHECK(display(line) == line);
    }
    CHECK(is_utf8(text));
  }
}

TEST_CASE("Formatters never print a number that is none", "[conformance][formatter]") {
  for (const Case& item : cases()) {
    INFO(item.name);
    for (const std::string& word : words(without_assets(item.render()))) {
      CHECK(word != "nan");
      CHECK(word != "inf");
      CHECK(word != "infinity");
    }
  }
}

TEST_CASE("Formatters give the same text twice, whatever the locale", "[conformance][formatter]") {
  for (const Case& item : cases()) {
    INFO(item.name);
    const std::string text = item.render();
    const std::locale before = std::locale::global(
        std::locale(std::locale::classic(), new GermanNumbers));  // owned by the locale
    const std::string again = item.render();
    std::locale::global(before);
    CHECK(again == text);
  }
}

TEST_CASE("Formatters that stream print in parts what they render at once",
          "[conformance][formatter]") {
  std::size_t streaming = 0;
  for (const Case& item : cases()) {
    if (!item.entry.info.streams || item.compared) continue;
    ++streaming;
    INFO(item.name);
    const Formatter& formatter = *item.entry.formatter;
    const std::size_t rows = labels(item.canned.report).size();
    // Each part is asked for when it is due: nothing printed may have to change later.
    const Report planned = early(item.canned.report, 0);
    std::string text = *formatter.head({planned, item.json});
    for (std::size_t i = 0; i < rows; ++i) {
      const Report so_far = early(item.canned.report, i + 1);
      text += *formatter.row({so_far, item.json}, i);
    }
    text += *formatter.tail({item.canned.report, item.json});
    CHECK(text == item.render());
  }
  CHECK(streaming > 0);
}

TEST_CASE("Formatters show no name of a report that is shared", "[conformance][formatter][share]") {
  const Report named = named_report();
  const Report shared = record::shared(named);
  const auto names_in = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::vector<std::string> found;
    for (std::string name : {"nas01", "acme", "jdoe", "filer", "s6pnns0w123456", "192.168.7.21"}) {
      if (text.find(name) != std::string::npos) found.push_back(std::move(name));
    }
    return found;
  };
  std::size_t naming = 0;
  for (const host::FormatterEntry& entry : plugins().formatters()) {
    INFO(entry.name);
    for (const bool details : {false, true}) {
      const std::string named_json = record::to_json(named);
      const std::string shared_json = record::to_json(shared);
      FormatInput before{named, named_json};
      FormatInput after{shared, shared_json};
      before.details = after.details = details;
      naming += names_in(without_assets(*entry.formatter->render(before))).size();
      CHECK(names_in(without_assets(*entry.formatter->render(after))).empty());
    }
  }
  CHECK(naming > 20);
}

TEST_CASE("Formatters that compare show every side, and no report in its place",
          "[conformance][formatter][compare]") {
  std::size_t comparing = 0;
  for (const Case& item : cases()) {
    if (!item.compared || item.compared->name != "before-after") continue;
    ++comparing;
    INFO(item.name);
    const std::string text = without_assets(item.render());
    for (const char* part : {"before", "after", "none shown", "worse", "10000", "8000"}) {
      CHECK(text.find(part) != std::string::npos);
    }
    if (item.entry.name == "json") continue;  // prints the text that it is given
    const FormatInput plain{item.canned.report, item.json};
    CHECK(without_assets(*item.entry.formatter->render(plain)) != text);
  }
  CHECK(comparing > 0);
}

TEST_CASE("Formatters have a name each and extensions that no other claims",
          "[conformance][formatter]") {
  std::vector<std::string> claimed;
  for (const host::FormatterEntry& entry : plugins().formatters()) {
    INFO(entry.name);
    CHECK_FALSE(entry.summary.empty());
    for (const std::string& extension : entry.info.extensions) {
      CHECK(std::count(claimed.begin(), claimed.end(), extension) == 0);
      claimed.push_back(extension);
    }
  }
}

}  // namespace sthd::test
