#include <string>

#include "runner/record/record.hpp"
#include "support/big_report.hpp"
#include "support/catch.hpp"

namespace sthd::record {

using sthd::test::big_loop;
using sthd::test::big_report;

TEST_CASE("The record of a one-hour job of reads and writes is far below 1 MiB", "[record][size]") {
  const LoopResult loop = big_loop({kMostSamples, 6 * kSecond, 2000, 300, true});  // 100k IOPS each
  const std::string text = to_json(big_report(loop, 1));
  CHECK(text.size() < 700 * kKiB);
  CHECK(text.size() > 200 * kKiB);
}

TEST_CASE("The record of 720 jobs of five seconds is far below 20 MiB", "[record][size]") {
  const LoopResult loop = big_loop({50, 100 * kMillisecond, 2000, 5, false});
  const std::size_t ten = to_json(big_report(loop, 10)).size();
  const std::size_t twenty = to_json(big_report(loop, 20)).size();
  const std::size_t all = ten + (twenty - ten) / 10 * 710;  // each job takes as much
  CHECK(all < 18 * kMiB);
  CHECK(all > 4 * kMiB);
}

}  // namespace sthd::record
