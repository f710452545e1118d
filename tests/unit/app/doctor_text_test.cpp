#include "runner/app/doctor_text.hpp"

#include "runner/analyze/analyze.hpp"
#include "support/catch.hpp"
#include "support/repeated_row.hpp"

namespace sthd::app {

namespace {

ResultRecord row(const std::string& id, const std::string& label, Condition condition,
                 const std::vector<std::uint64_t>& ios) {
  ResultRecord record = sthd::test::repeated_row(ios);
  record.job.id = id;
  record.job.template_id = "condition";
  record.job.label = label;
  record.job.workload.condition = condition;
  return record;
}

Report examined() {
  Report report;
  report.target.filesystem = "ext4";
  report.facts = {{"cpu.governor", {}, "this machine shows no cpufreq"},
                  {"cpu.idle_states", std::string("POLL C1"), {}},
                  {"cpu.idle_latency_max_us", 2.0, {}},
                  {"clock.source", std::string("tsc"), {}},
                  {"clock.read_ns", 24.12, {}},
                  {"target.barrier", std::string("on"), {}},
                  {"target.data_mode", std::string("ordered"), {}},
                  {"disk.0.name", std::string("vda"), {}},
                  {"disk.0.write_cache", std::string("write back"), {}},
                  {"disk.0.fua", std::string("no"), {}}};
  report.records = {row("a", "4K sync T1 as-is", Condition::as_is, {1000, 1010, 990}),
                    row("b", "4K sync T1 cores-awake", Condition::cores_awake, {2000, 2020, 1980})};
  ResultRecord governor =
      row("g", "4K sync T1 governor-performance", Condition::governor_performance, {1});
  governor.loops.clear();
  governor.status = Status::skipped;
  governor.reason = "governor-performance: this machine has no CPU frequency control";
  report.records.push_back(governor);
  return report;
}

Report judged(Report report) {
  analyze::judge(report);
  return report;
}

}  // namespace

TEST_CASE("The doctor says facts, effects, layers, findings and how to keep what helped",
          "[app][doctor]") {
  Report report = examined();
  report.facts.push_back({"floor.mean_ns", {}, "the target is RAM itself"});
  report.findings = {{.code = "measured-effect", .job = "b", .text = "Effect.", .remedy = "Keep."},
                     {.code = "measured-effect", .job = "b", .text = "Another.", .remedy = "Keep."},
                     {.code = "nearly-full", .severity = Severity::suspect, .text = "Full."},
                     {.code = "outliers", .job = "a", .text = "Out.", .remedy = "Do."},
                     {.code = "outliers", .job = "b", .text = "Out."}};
  report.records[0].verdict.layers = {{"application", 216'000}, {"device", 13'000}};
  CHECK(doctor_text(report) ==
        "\nWhat sync writes depend on here:\n"
        "  governor     unknown (this machine shows no cpufreq)\n"
        "  idle states  POLL C1, the deepest takes 2 us to wake from\n"
        "  clock        tsc, 24.1 ns a look\n"
        "  log device   none of its own: the writes go to vda (write back, FUA no)\n"
        "  sync         ext4, barriers on, data=ordered\n"
        "  floor        unknown (the target is RAM itself)\n"
        "\nMeasured effects (95 % intervals):\n"
        "  Effect.\n"
        "  Another.\n"
        "  4K sync T1 governor-performance skipped: this machine has no CPU frequency control\n"
        "\nWhere the time goes (means):\n"
        "  4K sync T1 as-is write: application 216.0 us, device 13.0 us\n"
        "\nFindings:\n"
        "  nearly-full (suspect): Full.\n"
        "  outliers (note, 2 rows, the first here): 4K sync T1 as-is: Out.\n"
        "    Do.\n"
        "\nTo keep what helped:\n"
        "  Keep.\n");
}

TEST_CASE("The doctor says when other load has made the intervals wider", "[app][doctor]") {
  Report report;
  report.findings = {{.code = "measured-effect", .text = "Effect."},
                     {.code = "foreign-load", .severity = Severity::suspect, .text = "Load."}};
  CHECK_THAT(doctor_text(report),
             Catch::Contains("\nMeasured effects (95 % intervals, which other load has made "
                             "wider):\n  Effect.\n"));
}

TEST_CASE("The doctor knows the log device of a pool, and says when nothing was found",
          "[app][doctor]") {
  Report report;
  report.target.filesystem = "zfs";
  report.facts = {{"cpu.governor", std::string("powersave"), {}},
                  {"cpu.mhz_now", 1200.0, {}},
                  {"cpu.mhz_max", 3600.0, {}},
                  {"zfs.data.0.name", std::string("sda"), {}},
                  {"zfs.log.0.name", std::string("nvme0n1"), {}},
                  {"zfs.log.1.name", std::string("nvme1n1"), {}},
                  {"zfs.sync", std::string("standard"), {}},
                  {"zfs.logbias", std::string("latency"), {}},
                  {"floor.mean_ns", 4240.0, {}}};
  CHECK(doctor_text(report) ==
        "\nWhat sync writes depend on here:\n"
        "  governor     powersave, 1200 of 3600 MHz\n"
        "  idle states  unknown\n"
        "  clock        unknown\n"
        "  log device   nvme0n1, nvme1n1\n"
        "  sync         sync=standard, logbias=latency\n"
        "  floor        4.2 us for the same write to tmpfs\n"
        "\nFindings:\n"
        "  none\n");
  report.facts.erase(report.facts.begin() + 4, report.facts.begin() + 6);
  CHECK_THAT(doctor_text(report),
             Catch::Contains("  log device   none: the pool's own disks hold the log\n"));
}

TEST_CASE("The floor is told as a share of the row that it belongs to", "[app][doctor]") {
  Report report = examined();
  report.facts.push_back({"floor.block_size_bytes", 4096.0, {}});
  report.facts.push_back({"floor.sync", std::string("o_sync"), {}});
  report.facts.push_back({"floor.mean_ns", 4240.0, {}});
  CHECK_THAT(doctor_text(judged(report)),
             Catch::Contains("  floor        The same 4K sync writes at T1 to tmpfs take 4.2 us: "
                             "that is what this machine alone costs of the 1000.0 us.\n"));
}

TEST_CASE("A try ends with rates, gain, interval and how to keep it", "[app][try]") {
  Report report = examined();
  CHECK(try_text(report, Condition::cores_awake) ==
        "\ncores-awake: 1000 -> 2000 IOPS, +100 % (100 to 100 %), 3 pairs\n"
        "to keep it: Add `intel_idle.max_cstate=1 processor.max_cstate=1 pcie_aspm=off "
        "nvme_core.default_ps_max_latency_us=0` to the kernel's command line, and restart.\n");
  report.records[1] = row("b", "4K sync T1 cores-awake", Condition::cores_awake, {1100, 900, 1000});
  CHECK(try_text(report, Condition::cores_awake) ==
        "\ncores-awake: 1000 -> 997 IOPS, no difference shown (-23 to +30 %, 3 pairs)\n");
  report.records[1] = row("b", "4K sync T1 cores-awake", Condition::cores_awake, {1100, 900});
  CHECK(try_text(report, Condition::cores_awake) ==
        "\ncores-awake: 2 against 3 measurements say nothing yet; use --repeat 3 or more\n");
}

TEST_CASE("A condition without a figure says why", "[app][try]") {
  const Report report = examined();
  CHECK(missing(report, Condition::cores_awake) == "");
  CHECK(missing(report, Condition::governor_performance) ==
        "this machine has no CPU frequency control");
  CHECK(missing(report, Condition::cores_busy) == "it was not measured");
}

}  // namespace sthd::app
