#include "kit/plot/pictures.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/reports.hpp"

namespace sthd::plot {
namespace {

std::vector<std::string> names(const std::vector<Picture>& pictures) {
  std::vector<std::string> result;
  for (const Picture& picture : pictures) result.push_back(picture.name);
  return result;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

using Names = std::vector<std::string>;

/// One write row of 10000 I/Os of 4 KiB, 100 us each, in two slices of half a second.
Report two_slices() {
  Report report = test::original_slog_report();
  report.records.resize(1);
  OpResult& result = *report.records[0].loops[0].write;
  result = {};
  result.ios = 10'000;
  result.bytes = result.ios * 4096;
  result.elapsed_ns = kSecond;
  result.lat.add_binned(100'000, result.ios);
  const auto bin = static_cast<std::uint16_t>(CoarseGrid::index_of(100'000));
  result.samples = {{kSecond / 2, 2'500, 2'500 * 4096, std::nullopt, {{bin, 2'500}}},
                    {kSecond, 7'500, 7'500 * 4096, std::nullopt, {{bin, 7'500}}}};
  return report;
}

TEST_CASE("A report without figures has no picture", "[plot][pictures]") {
  CHECK(pictures({}).empty());
  CHECK(pictures(test::empty_report()).empty());
  Report failed = two_slices();
  failed.records[0].status = Status::failed;
  CHECK(pictures(failed).empty());
}

TEST_CASE("A report without a time series has latencies alone", "[plot][pictures]") {
  CHECK(names(pictures(test::original_slog_report())) == Names{kLatency});
}

TEST_CASE("Throughput and p99 stand in the middle of their slices", "[plot][pictures]") {
  const std::vector<Picture> all = pictures(two_slices());
  REQUIRE(names(all) == Names{kLatency, kThroughput, kP99});
  // 20.48 and 61.44 MB/s at 0.25 and 0.75 s, on axes to 70 MB/s and 0.75 s.
  CHECK(count(all[1].svg, "points=\"309.3,316.5 760.0,117.6\"") == 1);
  CHECK(count(all[2].svg, "<polyline") == 1);
}

TEST_CASE("A slow row has slices that are long enough for a p99", "[plot][pictures]") {
  Report report = two_slices();
  OpResult& result = *report.records[0].loops[0].write;
  result.ios = 120;
  for (Sample& sample : result.samples) {
    sample.ios = 60;
    sample.lat[0].second = 60;
  }
  const std::vector<Picture> all = pictures(report);
  REQUIRE(names(all).back() == kP99);
  CHECK(count(all.back().svg, "<circle") == 1);
}

TEST_CASE("Up to six lines share a frame, more have one for each label", "[plot][pictures]") {
  const std::string four = pictures(test::original_slog_report())[0].svg;
  CHECK(count(four, "<path class=\"axis\"") == 1);
  CHECK(count(four, "<polyline") == 4);
  CHECK(count(four, ">4K sync T16</text>") == 1);
  const std::string eight = pictures(test::original_cdm_report())[0].svg;
  CHECK(count(eight, "<path class=\"axis\"") == 4);
  CHECK(count(eight, "<polyline") == 8);
  CHECK(count(eight, ">read</text>") == 1);
}

TEST_CASE("Both directions in one frame are named", "[plot][pictures]") {
  const std::string text = pictures(test::ok_report())[0].svg;
  CHECK(count(text, ">SEQ1M Q8T1 read</text>") == 1);
  CHECK(count(text, ">RND4K Q32T1 write response</text>") == 1);
}

TEST_CASE("A picture is described by its rows' figures", "[plot][pictures]") {
  const std::string text = pictures(test::original_slog_report())[0].svg;
  CHECK(count(text, "4K sync T1 write: p50 85.5 us, p99 185.3 us.") == 1);
  CHECK(count(text, "slog on /mnt/pool (ext4), 2025-01-02T03:04:05Z</text>") == 1);
}

TEST_CASE("More rows than a picture has room for are counted", "[plot][pictures]") {
  Report report = test::original_slog_report();
  const ResultRecord first = report.records[0];
  report.records.clear();
  for (int i = 0; i < 70; ++i) {
    report.records.push_back(first);
    report.records.back().job.label = fmt::format("row {}", i);
  }
  const std::string text = pictures(report)[0].svg;
  CHECK(count(text, "<path class=\"axis\"") == 60);
  CHECK(count(text, "; the first 60 of 70 rows</text>") == 1);
  CHECK(count(text, " And 54 more.</desc>") == 1);
}

}  // namespace
}  // namespace sthd::plot
