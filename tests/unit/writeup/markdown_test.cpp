#include <string>

#include "render.hpp"
#include "support/reports.hpp"

namespace sthd::test {
namespace {

TEST_CASE("Markdown has what was measured on in one line below the table", "[writeup][markdown]") {
  const std::string text = rendered("markdown", {original_slog_report(), {}});
  CHECK(has(text, "| 505.9 |\n\na CPU, 8 CPUs; Linux 6.1.0; ext4\n\n- "));
  CHECK_FALSE(has(rendered("markdown", {empty_report(), {}}), ";"));
}

TEST_CASE("Markdown refers to pictures, and folds the environment when asked to",
          "[writeup][markdown]") {
  const Report report = original_slog_report();
  FormatInput input{report, {}};
  CHECK_FALSE(has(rendered("markdown", input), "<details>"));
  const Plot plots[] = {{"Latency by percentile", "plots/latency.svg"},
                        {"p99 latency over time", "plots/p99.svg"}};
  input.plots = plots;
  input.details = true;
  const std::string text = rendered("markdown", input);
  CHECK(has(text,
            "\n\n![Latency by percentile](plots/latency.svg)\n\n![p99 latency over "
            "time](plots/p99.svg)\n\n<details>\n<summary>Environment</summary>\n\n"
            "| Fact | Value |\n|---|---|\n| host | nas |\n"));
  CHECK(text.substr(text.size() - 12) == "\n</details>\n");
}

TEST_CASE("Markdown without anything known has nothing to fold", "[writeup][markdown]") {
  const Report report = empty_report();
  FormatInput input{report, {}};
  input.details = true;
  CHECK_FALSE(has(rendered("markdown", input), "<details>"));
}

}  // namespace
}  // namespace sthd::test
