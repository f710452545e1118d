#include "runner/app/labelled.hpp"

#include <utility>

#include "support/catch.hpp"

namespace sthd::app {
namespace {

using Strings = std::vector<std::string>;

/// Of words that are no files; the run ids are "00000000-x", "11111111-x", …
Strings labels(const Strings& words) {
  std::vector<Named> records;
  Strings run_ids;
  for (const std::string& word : words) {
    run_ids.push_back(std::string(8, static_cast<char>('0' + records.size())) + "-x");
    records.push_back(named(word, false));
  }
  return labels_of(records, run_ids);
}

}  // namespace

TEST_CASE("A label stands before the = unless a file is called so", "[app][compare]") {
  CHECK(named("before=/tmp/a.json", false).label == "before");
  CHECK(named("before=/tmp/a.json", false).file == "/tmp/a.json");
  CHECK(named("a=b=@-1", false).file == "b=@-1");
  const std::vector<std::pair<std::string, bool>> files{
      {"a=b.json", true}, {"=a", false}, {"a=", false}, {"a.json", false}};
  for (const auto& [word, is_file] : files) {
    CAPTURE(word);
    CHECK(named(word, is_file).label.empty());
    CHECK(named(word, is_file).file == word);
  }
}

TEST_CASE("Records without a label are called by their file or run", "[app][compare]") {
  CHECK(labels({"/tmp/before.json", "after.json"}) == Strings{"before", "after"});
  CHECK(labels({"@-2", "now=@-1"}) == Strings{"00000000", "now"});
  CHECK(labels({"-", "6f1c9a52"}) == Strings{"stdin", "6f1c9a52"});
}

TEST_CASE("No two records are called the same", "[app][compare]") {
  CHECK(labels({"/a/slog.json", "/b/slog.json", "x.json"}) ==
        Strings{"/a/slog.json", "/b/slog.json", "x"});
  CHECK(labels({"a.json", "a.json", "a.json"}) == Strings{"a.json", "a.json (2)", "a.json (3)"});
  CHECK(labels({"x=a.json", "x=b.json"}) == Strings{"x", "x (2)"});
}

}  // namespace sthd::app
