#include <cstdlib>

#include "sandbox.hpp"
#include "support/catch.hpp"

// Run by tests/consumer, which builds the template outside of this tree.
TEST_CASE("The template of STHD_TEST_CONSUMER loads and formats", "[.consumer]") {
  const char* folder = std::getenv("STHD_TEST_CONSUMER");
  REQUIRE(folder != nullptr);
  const sthd::host::PluginHost host({{folder, false}});
  for (const auto& refusal : host.refusals()) CHECK(refusal.sentence.empty());
  const auto* entry = host.formatter("lines");
  REQUIRE(entry != nullptr);
  CHECK(entry->version == "1.0.0");
  CHECK(entry->summary == "One line for each row");
  CHECK(entry->info.streams);

  sthd::Report report;
  report.profile.title = "A title";
  const auto text = entry->formatter->render({report, "{}"});
  REQUIRE(text.ok());
  CHECK(*text == "A title\n");
}
