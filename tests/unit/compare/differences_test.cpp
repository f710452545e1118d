#include "runner/compare/differences.hpp"

#include <fmt/format.h>

#include "support/catch.hpp"
#include "support/comparisons.hpp"
#include "support/reports.hpp"

namespace sthd::compare {
namespace {

using Lines = std::vector<std::string>;

/// "kernel: 6.1.0 | 6.12.9".
Lines lines(const test::Labelled& records) {
  const Input input{records.reports, records.labels};
  Lines all;
  for (const Difference& each : differences(input, match_rows(input).rows)) {
    all.push_back(fmt::format("{}: {}", each.what, fmt::join(each.values, " | ")));
  }
  return all;
}

test::Labelled twins() {
  return {{test::original_slog_report(), test::original_slog_report()}, {"A", "B"}};
}

/// What `change` of the second of two equal records makes of them.
template <class F>
Lines after(F change) {
  test::Labelled records = twins();
  change(records.reports[1]);
  return lines(records);
}

}  // namespace

TEST_CASE("Records that differ in their figures alone have no differences", "[compare][differ]") {
  CHECK(lines(twins()).empty());
  CHECK(after([](Report& r) {
          r.run_id = "other";
          r.started_utc = "2030-01-01T00:00:00Z";
          r.records[0].loops[0].write->ios *= 2;
          r.facts.push_back({"memory.available_bytes", 5.0, ""});
        }).empty());
}

TEST_CASE("Rows first, then the program, the machine and the target", "[compare][differ]") {
  CHECK(lines(test::before_and_after()) ==
        Lines{"engine of b/threads=1: psync | io_uring",
              "backend of b/threads=1: native-psync | native-uring", "direct: buffered | O_DIRECT",
              "kernel: 6.1.0 | 6.12.9", "governor: schedutil | performance"});
}

TEST_CASE("Each trait of a record is compared", "[compare][differ]") {
  CHECK(after([](Report& r) { r.tool.version = "9.9"; }) ==
        Lines{"tool: speedtest-hd 0.1.0 | speedtest-hd 9.9"});
  CHECK(after([](Report& r) { r.tool.build = "asan"; }) == Lines{"build: release | asan"});
  CHECK(after([](Report& r) { r.profile.name = "x"; }) == Lines{"profile: slog | x"});
  CHECK(after([](Report& r) { r.environment.hostname = "b"; }) == Lines{"host: nas | b"});
  CHECK(after([](Report& r) { r.environment.cpus = 4; }) == Lines{"CPUs: 8 | 4"});
  CHECK(after([](Report& r) { r.environment.memory_bytes = kGiB; }) ==
        Lines{"memory: 16.00 GiB | 1.00 GiB"});
  CHECK(after([](Report& r) {
          r.target.filesystem = "zfs";
          r.target.filesystem_version = "2.3.4";
        }) == Lines{"filesystem: ext4 | zfs 2.3.4"});
  CHECK(after([](Report& r) { r.target.path = "/b"; }) == Lines{"target: /mnt/pool | /b"});
}

TEST_CASE("Facts that change figures are compared, disks by role and model", "[compare][differ]") {
  test::Labelled records = twins();
  records.reports[0].facts = {{"disk.0.name", std::string("sda"), ""},
                              {"disk.1.name", std::string("sdb"), ""},
                              {"disk.1.role", std::string("log"), ""},
                              {"disk.1.model", std::string("P1600X"), ""},
                              {"zfs.recordsize_bytes", 131'072.0, ""}};
  records.reports[1].facts = {{"disk.0.name", std::string("sda"), ""},
                              {"disk.1.name", std::string("sdb"), ""},
                              {"disk.1.role", std::string("log"), ""},
                              {"disk.1.model", std::string("SV100"), ""},
                              {"zfs.recordsize_bytes", 4096.0, ""}};
  CHECK(lines(records) ==
        Lines{"log disks: P1600X | SV100", "ZFS recordsize in bytes: 131072 | 4096"});
}

TEST_CASE("What only one side knows is no difference", "[compare][differ]") {
  CHECK(after([](Report& r) {
          r.environment = {};
          r.facts = {{"cpu.governor", std::string("performance"), ""}};
          for (ResultRecord& row : r.records) row.resolution.direct_effective = std::nullopt;
        }).empty());
}

TEST_CASE("Each trait of a row is compared, equal ones together", "[compare][differ]") {
  const auto of_first = [](auto change) {
    return after([change](Report& r) { change(r.records[0]); });
  };
  const std::string of = " of sync4k/threads=1: ";
  CHECK(of_first([](ResultRecord& r) { r.status = Status::interrupted; }) ==
        Lines{"status" + of + "ok | interrupted"});
  CHECK(of_first([](ResultRecord& r) { r.verdict.validity = Validity::invalid; }) ==
        Lines{"validity" + of + "ok | invalid"});
  CHECK(of_first([](ResultRecord& r) { r.job.workload.size = kMiB; }) ==
        Lines{"size" + of + "1.00 GiB | 1.00 MiB"});
  CHECK(of_first([](ResultRecord& r) { r.job.workload.runtime_ns = 0; }) ==
        Lines{"runtime" + of + "5s | none"});
  CHECK(of_first([](ResultRecord& r) { r.job.workload.score = Score::max; }) ==
        Lines{"score" + of + "median | max"});
  CHECK(of_first([](ResultRecord& r) { r.job.workload.sqpoll = true; }) ==
        Lines{"polling" + of + "none | sqpoll"});
  CHECK(of_first([](ResultRecord& r) { r.job.workload.ios = 100; }) ==
        Lines{"I/Os limited to" + of + "none | 100"});
  CHECK(of_first([](ResultRecord& r) { r.job.workload.condition = Condition::cores_busy; }) ==
        Lines{"condition" + of + "as-is | cores-busy"});
  CHECK(after([](Report& r) {
          for (std::size_t i : {1, 2, 3}) r.records[i].job.workload.loops = 2;
        }) == Lines{"loops of sync4k/threads=4 and 2 more: 1 | 2"});
  CHECK(after([](Report& r) {
          for (ResultRecord& row : r.records) row.job.workload.repeat = 3;
        }) == Lines{"repeat: 1 | 3"});
}

TEST_CASE("Cache class and durability are compared where both are known", "[compare][differ]") {
  test::Labelled records = twins();
  records.reports[0].records[0].verdict.cache_class = CacheClass::device;
  CHECK(lines(records).empty());
  records.reports[1].records[0].verdict.cache_class = CacheClass::cache;
  CHECK(lines(records) == Lines{"cache class of sync4k/threads=1: device | cache"});
}

}  // namespace sthd::compare
