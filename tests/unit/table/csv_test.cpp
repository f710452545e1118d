#include "kit/table/csv.hpp"

#include "support/catch.hpp"

namespace sthd::table {
namespace {

TEST_CASE("A line of CSV quotes what would end its field, and doubles quotes", "[table][csv]") {
  CHECK(csv_head({{"a", "1", true}, {"b_us", "2", true}}) == "a,b_us\n");
  CHECK(csv_line({{"a", "1", true}, {"b", "", true}, {"c", "", false}}) == "1,,\n");
  CHECK(csv_line({{"a", "", false}, {"b", "x,y", false}, {"c", "say \"hi\"", false}}) ==
        ",\"x,y\",\"say \"\"hi\"\"\"\n");
}

TEST_CASE("Text that begins like a formula is made text, a number is not", "[table][csv]") {
  for (const std::string formula : {"=1+1", "+1", "-1", "@SUM(A1)"}) {
    CHECK(csv_line({{"a", formula, false}}) == "'" + formula + "\n");
  }
  CHECK(csv_line({{"a", "-1", true}}) == "-1\n");
}

}  // namespace
}  // namespace sthd::table
