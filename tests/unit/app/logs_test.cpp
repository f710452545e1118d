#include "runner/app/logs.hpp"

#include <string>
#include <utility>
#include <vector>

#include "sthd/units.hpp"
#include "support/catch.hpp"

namespace sthd::app {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

Texts texts(const Report& report, std::string_view prefix) {
  Texts found;
  for (const Log& log : logs_of(report, prefix)) found.emplace_back(log.file, log.text);
  return found;
}

ResultRecord& add_job(Report& report, std::string id) {
  Job job;
  job.id = std::move(id);
  report.plan.jobs.push_back(job);
  return report.records.emplace_back(ResultRecord{.job = job, .resolution = {}, .loops = {}});
}

/// `ios` of 1 KiB and 1 ms each in the slice that ends at `at_ns`.
Sample slice(std::uint64_t at_ns, std::uint64_t ios) {
  Sample sample{.at_ns = at_ns, .ios = ios, .bytes = ios * kKiB};
  if (ios > 0) sample.lat = {{CoarseGrid::index_of(kMillisecond), ios}};
  return sample;
}

OpResult course(std::uint64_t elapsed_ns, std::vector<Sample> samples) {
  return {.elapsed_ns = elapsed_ns, .samples = std::move(samples)};
}

const std::string kMean =
    std::to_string(CoarseGrid::midpoint_of(CoarseGrid::index_of(kMillisecond)));

TEST_CASE("Logs have fio's columns, by job number, both directions in order of time",
          "[app][logs]") {
  Report report;
  add_job(report, "a");
  ResultRecord& record = add_job(report, "b");
  LoopResult loop;
  loop.read = course(kSecond, {slice(500 * kMillisecond, 100), slice(kSecond, 300)});
  loop.write = course(kSecond, {slice(500 * kMillisecond, 10), slice(kSecond, 0)});
  record.loops = {loop};
  CHECK(texts(report, "out/p") ==
        Texts{{"out/p_bw.1.log", ""},
              {"out/p_iops.1.log", ""},
              {"out/p_lat.1.log", ""},
              {"out/p_bw.2.log",
               "500, 200, 0, 0, 0\n500, 20, 1, 0, 0\n"
               "1000, 600, 0, 0, 0\n1000, 0, 1, 0, 0\n"},
              {"out/p_iops.2.log",
               "500, 200, 0, 0, 0\n500, 20, 1, 0, 0\n"
               "1000, 600, 0, 0, 0\n1000, 0, 1, 0, 0\n"},
              {"out/p_lat.2.log", "500, " + kMean + ", 0, 0, 0\n500, " + kMean +
                                      ", 1, 0, 0\n1000, " + kMean + ", 0, 0, 0\n"}});
}

TEST_CASE("The time of a log goes on over the loops, and each slice has its own length",
          "[app][logs]") {
  Report report;
  ResultRecord& record = add_job(report, "a");
  LoopResult loop;
  // A final fsync of half a second follows the last slice.
  loop.write = course(1500 * kMillisecond, {slice(kSecond, 8)});
  record.loops = {loop, loop};
  CHECK(texts(report, "p").at(0).second == "1000, 8, 1, 0, 0\n2500, 8, 1, 0, 0\n");
}

TEST_CASE("Latencies of a slice are averaged, unknown ones are left out", "[app][logs]") {
  Report report;
  ResultRecord& record = add_job(report, "a");
  LoopResult loop;
  Sample two = slice(kSecond, 4);
  two.lat = {{10, 3}, {14, 1}};
  Sample none = slice(2 * kSecond, 4);
  none.lat.clear();
  loop.read = course(2 * kSecond, {two, none});
  record.loops = {loop};
  const Texts found = texts(report, "p");
  CHECK(found.at(1).second == "1000, 4, 0, 0, 0\n2000, 4, 0, 0, 0\n");
  CHECK(found.at(2).second == "1000, 11, 0, 0, 0\n");
}

TEST_CASE("A job that never ran has logs with nothing in them", "[app][logs]") {
  Report report;
  add_job(report, "a");
  report.plan.jobs.push_back({.id = "b", .workload = {}});
  const Texts found = texts(report, "p");
  REQUIRE(found.size() == 6);
  CHECK(found.at(3) == std::pair<std::string, std::string>{"p_bw.2.log", ""});
}

}  // namespace
}  // namespace sthd::app
