#include "kit/table/fields.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/reports.hpp"

namespace sthd::table {
namespace {

std::map<std::string, std::string> as_map(const std::vector<Field>& fields) {
  std::map<std::string, std::string> result;
  for (const Field& field : fields) result.emplace(field.name, field.text);
  return result;
}

TEST_CASE("Field names are unique and the same for every record", "[table][fields]") {
  const Report report = test::mixed_report();
  const auto names = [](const std::vector<Field>& fields) {
    std::vector<std::string> result;
    for (const Field& field : fields) result.push_back(field.name);
    return result;
  };
  const auto expected = names(fields(Report{}, ResultRecord{}, Op::read));
  CHECK(std::set<std::string>(expected.begin(), expected.end()).size() == expected.size());
  for (const ResultRecord& record : report.records) {
    CHECK(names(fields(report, record, Op::write)) == expected);
  }
}

TEST_CASE("Every quantile has its n beside it", "[table][fields]") {
  const auto all = fields(Report{}, ResultRecord{}, Op::read);
  std::size_t quantiles = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = all[i].name;
    if (name.find("_p") == std::string::npos || !name.ends_with("_us")) continue;
    ++quantiles;
    REQUIRE(i + 1 < all.size());
    CHECK(all[i + 1].name == name.substr(0, name.size() - 3) + "_n");
  }
  CHECK(quantiles == 30);
}

TEST_CASE("The worst verdict of a job stands for what is expected of it", "[table][fields]") {
  Report report = test::original_slog_report();
  const auto expected = [&report] {
    return as_map(fields(report, report.records[0], Op::write))["expected"];
  };
  CHECK(expected().empty());
  report.judgements = {{"e", "another", Op::write, {}, {}, Expected::missed, ""}};
  CHECK(expected().empty());
  for (const Expected verdict :
       {Expected::met, Expected::unknown, Expected::above, Expected::missed}) {
    report.judgements.push_back({"e", "sync4k/threads=1", Op::write, {}, {}, verdict, ""});
    CHECK(expected() == to_text(verdict));
  }
}

TEST_CASE("Fields carry the figures in the units of their names", "[table][fields]") {
  const Report report = test::original_slog_report();
  auto map = as_map(fields(report, report.records[0], Op::write));
  CHECK(map["id"] == "sync4k/threads=1");
  CHECK(map["op"] == "write");
  CHECK(map["status"] == "ok");
  CHECK(map["direct"] == "false");
  CHECK(map["bytes"] == "218869760");
  CHECK(map["ios"] == "53435");
  CHECK(map["elapsed_s"] == "5");
  CHECK(map["iops_per_s"] == "10687");
  CHECK(map["bw_bytes_per_s"] == "43773952");
  CHECK(map["bw_MB_per_s"] == "43.773952");
  CHECK(map["lat_p50_us"] == "85.504");
  CHECK(map["lat_p50_n"] == "53435");
  CHECK(map["clat_p50_us"].empty());
  CHECK(map["clat_p50_n"].empty());
  CHECK(map["runtime_s"] == "5");
  CHECK(map["ios_limit"].empty());
  CHECK(map["cpu_user_s"] == "1");
  CHECK(map["findings"].empty());
}

TEST_CASE("Fields carry the verdict, its layers and the disks' figures", "[table][fields]") {
  ResultRecord record;
  record.job.workload.op = Op::write;
  record.verdict = {CacheClass::mixed,
                    Durability::shown,
                    Validity::suspect,
                    {{"application", 1'999'000}, {"host", 5}, {"device", 19'100}}};
  LoopResult& loop = record.loops.emplace_back();
  loop.write.emplace().bytes = 4096;
  loop.counters = {{"disk.0.name", "vda", ""},
                   {"disk.0.write_ios", 4.0, ""},
                   {"disk.0.write_bytes", 16384.0, ""},
                   {"disk.0.write_ticks_ns", 76'400.0, ""},
                   {"disk.0.flush_ios", 3.0, ""}};
  auto map = as_map(fields(Report{}, record, Op::write));
  CHECK(map["validity"] == "suspect");
  CHECK(map["cache_class"] == "mixed");
  CHECK(map["durability"] == "shown");
  CHECK(map["application_mean_us"] == "1999");
  CHECK(map["host_mean_us"] == "0.005");
  CHECK(map["wait_mean_us"].empty());
  CHECK(map["device_mean_us"] == "19.1");
  CHECK(map["disk_bytes"] == "16384");
  CHECK(map["disk_ios"] == "4");
  CHECK(map["disk_mean_us"] == "19.1");
  CHECK(map["disk_flushes"] == "3");
  for (const auto* name : {"log device", "server"}) {
    record.verdict.layers.back().name = name;
    CHECK(as_map(fields(Report{}, record, Op::write))["device_mean_us"] == "19.1");
  }
}

TEST_CASE("A row that was not measured has no verdict, one without counters no layers",
          "[table][fields]") {
  ResultRecord record;
  auto map = as_map(fields(Report{}, record, Op::write));
  CHECK(map["validity"] == "ok");
  CHECK(map["cache_class"] == "unknown");
  for (const auto* name : {"application_mean_us", "host_mean_us", "wait_mean_us", "device_mean_us",
                           "disk_bytes", "disk_ios", "disk_mean_us", "disk_flushes"}) {
    CHECK(map[name].empty());
  }
  for (const Status status : {Status::skipped, Status::failed}) {
    record.status = status;
    map = as_map(fields(Report{}, record, Op::write));
    for (const auto* name : {"validity", "cache_class", "durability"}) CHECK(map[name].empty());
  }
}

TEST_CASE("Keys that a workload has no use for are empty", "[table][fields]") {
  ResultRecord record;
  auto map = as_map(fields(Report{}, record, Op::read));
  for (const auto* name : {"read_percent", "rate_iops_per_s", "zipf_theta", "checks"}) {
    CHECK(map[name].empty());
  }
  CHECK(map["distribution"] == "uniform");
  CHECK(map["poll"] == "false");
  CHECK(map["sample_s"] == "0.1");
  record.job.checks = "a/op=read";
  Workload& workload = record.job.workload;
  workload.op = Op::mixed;
  workload.rate_iops = 1000;
  workload.distribution = Distribution::zipf;
  workload.zipf_theta = 0.9;
  workload.sqpoll = true;
  workload.sample_ns = 10 * kMillisecond;
  map = as_map(fields(Report{}, record, Op::read));
  CHECK(map["checks"] == "a/op=read");
  CHECK(map["read_percent"] == "70");
  CHECK(map["rate_iops_per_s"] == "1000");
  CHECK(map["distribution"] == "zipf");
  CHECK(map["zipf_theta"] == "0.9");
  CHECK(map["sqpoll"] == "true");
  CHECK(map["sample_s"] == "0.01");
}

TEST_CASE("First and last I/O are those of the direction's threads that had one",
          "[table][fields]") {
  ResultRecord record;
  record.loops.resize(2);
  record.loops[0].per_thread = {{0, Op::write, 4096, 1, 2 * kSecond, 3 * kMillisecond},
                                {1, Op::write, 4096, 1, 4 * kSecond, kMillisecond},
                                {2, Op::write, 0, 0, 9 * kSecond, std::nullopt},
                                {0, Op::read, 4096, 1, 8 * kSecond, 0}};
  record.loops[1].per_thread = {{0, Op::write, 4096, 1, kSecond, 2 * kMillisecond}};
  auto map = as_map(fields(Report{}, record, Op::write));
  CHECK(map["first_io_s"] == "0.001");
  CHECK(map["last_io_s"] == "4");
  record.loops[1].per_thread[0].first_ns.reset();
  map = as_map(fields(Report{}, record, Op::write));
  CHECK(map["first_io_s"].empty());
  CHECK(map["last_io_s"] == "4");
  map = as_map(fields(Report{}, ResultRecord{}, Op::write));
  CHECK(map["first_io_s"].empty());
  CHECK(map["last_io_s"].empty());
}

TEST_CASE("The kernel's workers are the most of all loops, known when each knows",
          "[table][fields]") {
  ResultRecord record;
  CHECK(as_map(fields(Report{}, record, Op::read))["kernel_workers"].empty());
  record.loops.resize(2);
  record.loops[0].kernel_workers = 7;
  CHECK(as_map(fields(Report{}, record, Op::read))["kernel_workers"].empty());
  record.loops[1].kernel_workers = 3;
  CHECK(as_map(fields(Report{}, record, Op::read))["kernel_workers"] == "7");
}

TEST_CASE("Figures of a row that was measured repeatedly are medians, with their range",
          "[table][fields][repeat]") {
  const Report report = test::repeated_report();
  auto map = as_map(fields(report, report.records[0], Op::write));
  CHECK(map["condition"] == "as-is");
  CHECK(map["repeat"] == "3");
  CHECK(map["loops_done"] == "3");
  CHECK(map["iops_per_s"] == "10000");
  CHECK(map["iops_per_s_min"] == "9900");
  CHECK(map["iops_per_s_max"] == "10400");
  CHECK(map["bw_bytes_per_s"] == "40960000");
  CHECK(map["bw_bytes_per_s_max"] == "42598400");
  CHECK(map["lat_p50_us"] == "100");
  CHECK(map["lat_p50_us_min"] == "96.153");
  CHECK(map["lat_p50_us_max"] == "101.01");
  CHECK(map["iops_per_s_each"] == "10000 10400 9900");
  CHECK(map["lat_p50_us_each"] == "100 96.153 101.01");
  CHECK(map["ios"] == "151500");  // all of them
  map = as_map(fields(report, report.records[2], Op::write));
  CHECK(map["iops_per_s_min"].empty());
  CHECK(map["iops_per_s_each"].empty());
  const Report once = test::ok_report();
  map = as_map(fields(once, once.records[0], Op::read));
  CHECK(map["repeat"] == "1");
  CHECK(map["iops_per_s_min"].empty());
  CHECK(map["iops_per_s_max"].empty());
  CHECK(map["iops_per_s_each"].empty());
}

TEST_CASE("Fields say how repeats were ordered and scored, and show the best where that was asked",
          "[table][fields][repeat][score]") {
  Report report = test::repeated_report();
  Workload& workload = report.records[0].job.workload;
  auto map = as_map(fields(report, report.records[0], Op::write));
  CHECK(map["order"] == "interleaved");
  CHECK(map["score"] == "median");
  CHECK(map["interval_s"] == "0");
  workload.order = Order::grouped;
  workload.score = Score::max;
  workload.interval_ns = 5 * kSecond;
  map = as_map(fields(report, report.records[0], Op::write));
  CHECK(map["order"] == "grouped");
  CHECK(map["score"] == "max");
  CHECK(map["interval_s"] == "5");
  CHECK(map["iops_per_s"] == "10400");
  CHECK(map["lat_p50_us"] == "96.153");
  CHECK(map["iops_per_s_min"] == "9900");
  CHECK(map["iops_per_s_each"] == "10000 10400 9900");
}

TEST_CASE("The last field is the row as a fio command", "[table][fields]") {
  ResultRecord record;
  CHECK(fields(Report{}, record, Op::read).back().name == "fio_command");
  CHECK(fields(Report{}, record, Op::read).back().text.empty());
  record.fio_command = "fio --name=row";
  CHECK(fields(Report{}, record, Op::read).back().text == "fio --name=row");
}

TEST_CASE("Failed and skipped records have no figures, findings have codes", "[table][fields]") {
  const Report report = test::mixed_report();
  auto failed = as_map(fields(report, report.records[2], Op::read));
  CHECK(failed["status"] == "failed");
  CHECK(failed["reason"] == "pread at offset 4096: Input/output error (EIO)");
  for (const auto* name : {"bytes", "ios", "elapsed_s", "iops_per_s", "lat_mean_us"}) {
    CHECK(failed[name].empty());
  }
  auto read = as_map(fields(report, report.records[0], Op::read));
  CHECK(read["findings"] == "n1 buffered depth");
}

}  // namespace
}  // namespace sthd::table
