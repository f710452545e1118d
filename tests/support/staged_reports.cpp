#include "support/staged_reports.hpp"

#include <cstdint>
#include <utility>

#include "support/reports.hpp"

namespace sthd::test {
namespace {

struct Figures {
  std::uint64_t iops = 0;  ///< 0 = not known
  std::uint64_t bytes_per_s = 0;
  std::uint64_t lat_ns = 0;  ///< of every I/O; 0 = not known
};

struct Stage {
  const char* label;
  const char* governor;
  const char* cmdline;
  Figures t1;
  Figures t16;
};

Figures of_blocks(std::uint64_t iops, std::uint64_t lat_ns) { return {iops, iops * 4096, lat_ns}; }

OpResult result_of(const Figures& figures) {
  constexpr std::uint64_t kSeconds = 5;
  OpResult result;
  result.ios = figures.iops * kSeconds;
  result.bytes = figures.bytes_per_s * kSeconds;
  result.elapsed_ns = kSeconds * kSecond;
  if (figures.lat_ns != 0) result.lat.add_binned(figures.lat_ns, result.ios);
  return result;
}

Report report_of(const Stage& stage) {
  Report report = original_slog_report();
  report.facts = {{"cpu.governor", std::string(stage.governor), ""},
                  {"host.cmdline", std::string(stage.cmdline), ""}};
  std::erase_if(report.records, [](const ResultRecord& row) {
    return row.job.workload.threads != 1 && row.job.workload.threads != 16;
  });
  report.plan.jobs.clear();
  for (ResultRecord& row : report.records) {
    row.loops[0].write = result_of(row.job.workload.threads == 1 ? stage.t1 : stage.t16);
    report.plan.jobs.push_back(row.job);
  }
  return report;
}

Report stream_report(std::uint64_t iterations, std::uint64_t elapsed_ns, const char* log) {
  constexpr std::uint64_t kBlock = 160 * kMiB;
  Report report = original_slog_report();
  report.profile.name = "sync-stream";
  report.profile.title = "Synchronous stream";
  report.columns = {{"seconds", "Seconds", "seconds", Op::write, "s", 2},
                    {"bytes", "Bytes", "bytes", Op::write, "B", 0},
                    {"bw", "MB/s", "bw", Op::write, "MB/s", 2}};
  report.facts = {{"disk.0.name", std::string("ada0"), ""},
                  {"disk.0.role", std::string("data"), ""}};
  if (*log != '\0') {
    report.facts.push_back({"disk.1.name", std::string("ada2"), ""});
    report.facts.push_back({"disk.1.role", std::string("log"), ""});
    report.facts.push_back({"disk.1.model", std::string(log), ""});
  }
  report.records.resize(1);
  ResultRecord& row = report.records.front();
  row.job.id = row.job.template_id = "stream";
  row.job.label = "160M sync stream";
  Workload& workload = row.job.workload;
  workload.pattern = Pattern::sequential;
  workload.block_size = kBlock;
  workload.sync = SyncMode::o_sync;
  workload.runtime_ns = workload.ramp_ns = 0;
  workload.ios = iterations;
  OpResult result;
  result.ios = iterations;
  result.bytes = iterations * kBlock;
  result.elapsed_ns = elapsed_ns;
  row.loops[0].write = std::move(result);
  report.plan.jobs = {row.job};
  return report;
}

}  // namespace

Labelled four_stages() {
  constexpr const char* kPlain = "BOOT_IMAGE=/boot/vmlinuz ro";
  constexpr const char* kTuned =
      "BOOT_IMAGE=/boot/vmlinuz ro intel_idle.max_cstate=1 pcie_aspm=off";
  const Stage stages[] = {
      {"DAPC (start)", "schedutil", kPlain, {3050, 12'500'000, 328'000}, {0, 38'000'000, 0}},
      {"BIOS Performance", "schedutil", kPlain, of_blocks(5849, 160'800),
       of_blocks(46'009, 1'057'000)},
      {"+ kernel parameters", "schedutil", kTuned, of_blocks(6217, 150'500),
       of_blocks(47'166, 684'000)},
      {"+ performance governor", "performance", kTuned, of_blocks(10'687, 85'500),
       of_blocks(77'939, 506'000)}};
  Labelled all;
  for (const Stage& stage : stages) {
    all.reports.push_back(report_of(stage));
    all.labels.emplace_back(stage.label);
  }
  return all;
}

Labelled log_devices() {
  Labelled all;
  all.labels = {"No SLOG", "Kingston", "Plextor"};
  all.reports.push_back(stream_report(100, 88'684'406'519, ""));
  all.reports.push_back(stream_report(2, 13'721'518'040, "KINGSTON SV100S232G"));
  all.reports.push_back(stream_report(100, 83'318'684'816, "PLEXTOR PX-256M5P"));
  return all;
}

}  // namespace sthd::test
