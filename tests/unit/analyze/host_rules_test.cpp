#include "counted_report.hpp"
#include "support/catch.hpp"

// cpu-*, cgroup-throttled, foreign-load, clock-slow, nearly-full, near-quota, scrub-running.
namespace sthd::analyze {

using namespace test;

namespace {

Report with_cores(ResultRecord record, double cores = 4) {
  Report report = report_of({std::move(record)});
  fact(report, "cpu.cores", cores);
  return report;
}

ResultRecord running(std::uint64_t cpu_ms, std::uint32_t threads = 1) {
  ResultRecord record = measured(Op::write, 1, threads, 1000, 900000);
  record.loops[0].cpu = CpuUse{cpu_ms * kMillisecond / 2, cpu_ms * kMillisecond / 2, {}, {}};
  return record;
}

Report governed(const char* governor, double mhz) {
  Report report = report_of({measured(Op::write, 1, 1, 1000, 900000)});
  fact(report, "cpu.governor", governor);
  fact(report, "cpu.mhz_now", mhz);
  fact(report, "cpu.mhz_min", 1200);
  fact(report, "cpu.mhz_max", 3300);
  return report;
}

}  // namespace

TEST_CASE("Cores parked by a governor are told with both frequencies", "[analyze][governor]") {
  CHECK(line(governed("schedutil", 1200), "cpu-governor") ==
        "suspect The cores ran at 1200 MHz of 3300, their lowest: the governor schedutil clocks "
        "cores down that wait for I/O, and each I/O pays for it. | Set it for now: `echo "
        "performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor`; to keep it, run "
        "the same at each start from a systemd unit (Type=oneshot), or `tuned-adm profile "
        "latency-performance` where tuned is installed.");
}

TEST_CASE("The governor's remedy knows the platform", "[analyze][governor]") {
  for (const auto& [platform, part] : std::vector<std::pair<const char*, const char*>>{
           {"truenas", "Init/Shutdown Scripts, Type Command, When Post Init"},
           {"unraid", "/boot/config/go"},
           {"proxmox", "systemd unit (Type=oneshot) of the host"}}) {
    Report report = governed("schedutil", 1200);
    fact(report, "host.platform", platform);
    CHECK(only(report, "cpu-governor").remedy.find(part) != std::string::npos);
  }
}

TEST_CASE("The firmware's profile is named by its maker", "[analyze][governor]") {
  for (const auto& [vendor, part] : std::vector<std::pair<const char*, const char*>>{
           {"Dell Inc.", "System Profile to Performance"},
           {"HPE", "Workload Profile to Low Latency"},
           {"Lenovo", "Operating Mode to Maximum Performance"}}) {
    Report report = governed("schedutil", 1200);
    fact(report, "host.vendor", vendor);
    CHECK(only(report, "cpu-governor").remedy.find(part) != std::string::npos);
    fact(report, "host.virtualisation", "kvm");
    CHECK(only(report, "cpu-governor").remedy.find(part) == std::string::npos);
  }
}

TEST_CASE("What the sampler saw within the rows counts more than before", "[analyze][governor]") {
  Report report = governed("schedutil", 1200);
  count(report.records[0], "cpu.mhz_mean", 3200);
  CHECK(silent(report, "cpu-governor"));
}

TEST_CASE("Fast cores, the performance governor and unknown ones are not mentioned",
          "[analyze][governor]") {
  CHECK(silent(governed("schedutil", 3000), "cpu-governor"));
  CHECK(silent(governed("performance", 1200), "cpu-governor"));
  Report report = governed("schedutil", 1200);
  report.facts.pop_back();  // cpu.mhz_max
  CHECK(silent(report, "cpu-governor"));
}

TEST_CASE("Deep sleep that weighs against a single I/O is told", "[analyze][idle]") {
  Report report = report_of({measured(Op::read, 1, 1, 1000, 300000)});
  CHECK(silent(report, "cpu-idle-states"));
  fact(report, "cpu.idle_latency_max_us", 133);
  CHECK(line(report, "cpu-idle-states") ==
        "note j read The cores may sleep so deeply that waking takes 133 us, and a single I/O took "
        "300 us: likely a part of it is waking up. | Add `intel_idle.max_cstate=1 "
        "processor.max_cstate=1 pcie_aspm=off nvme_core.default_ps_max_latency_us=0` to the "
        "kernel's command line, and restart.");
  count(report.records[0], "cpu.idle_deep_share_percent", 3);
  CHECK(silent(report, "cpu-idle-states"));  // they did not
}

TEST_CASE("Sleep that an I/O hides, or that many I/Os in flight prevent, is not",
          "[analyze][idle]") {
  Report report = report_of({measured(Op::read, 1, 1, 100, 9000000)});
  fact(report, "cpu.idle_latency_max_us", 133);
  CHECK(silent(report, "cpu-idle-states"));
  report.records = {measured(Op::read, 8, 1, 1000, 300000)};
  CHECK(silent(report, "cpu-idle-states"));
}

TEST_CASE("A job that did not sleep for its I/Os woke nobody up", "[analyze][idle]") {
  Report report = report_of({measured(Op::read, 1, 1, 1000, 20000)});
  fact(report, "cpu.idle_latency_max_us", 133);
  report.records[0].loops[0].cpu = CpuUse{.voluntary_switches = 499, .involuntary_switches = 2000};
  CHECK(silent(report, "cpu-idle-states"));
  report.records[0].loops[0].cpu->voluntary_switches = 500;
  CHECK_FALSE(silent(report, "cpu-idle-states"));
}

TEST_CASE("The idle remedy knows platform, maker and virtual machines", "[analyze][idle]") {
  Report report = report_of({measured(Op::read, 1, 1, 1000, 300000)});
  fact(report, "cpu.idle_latency_max_us", 133);
  fact(report, "host.platform", "truenas");
  fact(report, "host.vendor", "Dell Inc.");
  CHECK(only(report, "cpu-idle-states").remedy ==
        "First set the BIOS's System Profile to Performance (iDRAC: `racadm set "
        "BIOS.SysProfileSettings.SysProfile PerfOptimized`), then, if need be, add "
        "`intel_idle.max_cstate=1 processor.max_cstate=1 pcie_aspm=off "
        "nvme_core.default_ps_max_latency_us=0` under System > Advanced Settings > Kernel "
        "Arguments, and restart.");
  fact(report, "host.virtualisation", "kvm");
  CHECK(only(report, "cpu-idle-states").remedy ==
        "This machine is virtual: set the host's power profile to performance.");
}

TEST_CASE("Threads that never wait for a device are bound by the CPU", "[analyze][cpu]") {
  CHECK(line(with_cores(running(960)), "cpu-bound") ==
        "suspect j write [CPU-bound] The threads spent 96 % of their time computing and none "
        "waiting for a device: the figure is the CPU's. | Read it as the most that this machine "
        "can ask for; more threads, larger blocks or --direct show the device.");
  CHECK(silent(with_cores(running(940)), "cpu-bound"));
  CHECK(silent(measured(Op::write, 1, 1, 1000, 900000), "cpu-bound"));  // not told
}

TEST_CASE("The wait for a core counts as wanting one, not for threads beyond the cores",
          "[analyze][cpu]") {
  ResultRecord record = running(800);
  count(record, "own.steal_ns", 2e8);
  CHECK_FALSE(silent(with_cores(record), "cpu-bound"));
  ResultRecord many = running(1000, 8);
  count(many, "own.steal_ns", 5e9);
  CHECK(silent(with_cores(many, 2), "cpu-bound"));
}

TEST_CASE("A core that others had is told", "[analyze][stolen]") {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  count(record, "own.steal_ns", 7e8);
  CHECK(line(with_cores(record), "cpu-stolen") ==
        "suspect j read [CPU taken by others] For 70 % of its time the job was ready to run and "
        "had no core: others had the CPU. | Stop the other load (`top` shows it), or give the test "
        "a core of its own.");
  CHECK(silent(report_of({record}), "cpu-stolen"));  // how many cores is not known
  record.job.workload.threads = 8;
  CHECK(silent(with_cores(record), "cpu-stolen"));  // its own threads
  record.job.workload.threads = 1;
  count(record, "cgroup.throttled_ns", 7e8);
  CHECK(silent(with_cores(record), "cpu-stolen"));  // a quota
}

TEST_CASE("A hypervisor that takes the CPU is told", "[analyze][stolen]") {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  count(record, "host.steal_ns", 2e8);
  count(record, "host.cpu_busy_ns", 8e8);
  CHECK(line(record, "cpu-stolen") ==
        "suspect j read [CPU taken by others] The hypervisor gave 20 % of this machine's CPU time "
        "to others. | Repeat it when the host is quiet, or pin the virtual CPUs.");
  record.loops[0].counters[0].value = 1e7;
  CHECK(silent(record, "cpu-stolen"));
}

TEST_CASE("A CPU quota that stopped the job is told with its size", "[analyze][quota]") {
  ResultRecord record = measured(Op::read, 1, 1, 1000, 900000);
  CHECK(silent(record, "cgroup-throttled"));
  count(record, "cgroup.throttled_ns", 5e6);
  CHECK(silent(record, "cgroup-throttled"));
  record.loops[0].counters[0].value = 9e8;
  Report report = report_of({record});
  fact(report, "cgroup.cpu_quota_cores", 0.1);
  CHECK(line(report, "cgroup-throttled") ==
        "suspect j read [CPU quota] The cgroup's CPU quota of 0.1 cores stopped the job's group "
        "for 900ms of 1s. | Raise cpu.max of the cgroup (a container's CPU limit) for the test.");
}

TEST_CASE("A disk that moved much more than the job has other users", "[analyze][foreign]") {
  ResultRecord record = measured(Op::write, 1, 1, 1000, 900000);
  count_disk(record, 0, "sda", {.write_ios = 9000, .write_bytes = 104096000});
  Report report = report_of({record});
  report.target.filesystem = "ext4";
  CHECK(line(report, "foreign-load") ==
        "suspect j write [other load] Likely others used the disk at the same time: it moved 100 "
        "MB/s that are not the job's. | Stop the other load (`iotop -o` or `pidstat -d 1` shows "
        "it) and run it again.");
  CHECK(numbers(only(report, "foreign-load")) ==
        "job_bytes=4096000 device_read_bytes=0 device_write_bytes=104096000");
}

TEST_CASE("A filesystem's own writes, and a machine's logs, are no other load",
          "[analyze][foreign]") {
  ResultRecord record = measured(Op::write, 1, 1, 10000, 90000);
  record.job.workload.sync = SyncMode::o_sync;
  count_disk(record, 0, "sda", {.write_ios = 30000, .write_bytes = 3 * 40960000.0});
  Report report = report_of({record});
  report.target.filesystem = "ext4";
  CHECK(silent(report, "foreign-load"));  // the journal
  record = measured(Op::read, 1, 1, 1000, 900000);
  count_disk(record, 0, "sda",
             {.read_ios = 1000, .read_bytes = 4096000, .write_ios = 9, .write_bytes = 4e6});
  CHECK(silent(record, "foreign-load"));
  CHECK(silent(measured(Op::read, 1, 1, 1000, 900000), "foreign-load"));  // not counted
}

TEST_CASE("A slow clock is told, and what it costs a short latency", "[analyze][clock]") {
  Report report = report_of({measured(Op::read, 1, 1, 1000, 900000)});
  fact(report, "clock.read_ns", 25);
  CHECK(silent(report, "clock-slow"));
  report.facts[0].value = 1200.0;
  fact(report, "clock.source", "hpet");
  CHECK(line(report, "clock-slow") ==
        "note One look at the clock (hpet) takes 1.2 us. | Use a machine whose clock source is tsc "
        "(or kvm-clock, hyperv_clocksource_tsc_page) for short latencies.");
  report.facts[0].value = 53000.0;
  CHECK(only(report, "clock-slow").severity == Severity::suspect);
  CHECK(only(report, "clock-slow").text ==
        "One look at the clock (hpet) takes 53.0 us, and each I/O needs up to two: the shortest "
        "latencies are partly the clock's.");
}

TEST_CASE("A full filesystem is told, ZFS earlier", "[analyze][full]") {
  Report report = report_of({measured(Op::read, 1, 1, 1000, 900000)});
  CHECK(silent(report, "nearly-full"));
  fact(report, "target.used_percent", 85);
  CHECK(silent(report, "nearly-full"));
  report.target.filesystem = "zfs";
  CHECK(line(report, "nearly-full") ==
        "suspect The filesystem is 85 % full: likely it is slower than with room. | Free space "
        "until it is below 80 %, and trim it (`fstrim`, `zpool trim`).");
}

TEST_CASE("A quota that leaves little more than the file is told", "[analyze][full]") {
  Report report = report_of({measured(Op::read, 1, 1, 1000, 900000)});
  CHECK(silent(report, "near-quota"));
  fact(report, "target.quota", "btrfs qgroup 0/256");
  fact(report, "target.quota_left_bytes", 3.0 * kGiB);
  CHECK(line(report, "near-quota") ==
        "suspect The quota (btrfs qgroup 0/256) left 3.00 GiB before a test file of 1.00 GiB: "
        "close to it, writes are slower or refused. | Raise the quota, free space below it, or use "
        "a smaller --size.");
  report.facts[1].value = 5.0 * kGiB;
  CHECK(silent(report, "near-quota"));
}

TEST_CASE("A scrub at the same time is told with the pool's name", "[analyze][scrub]") {
  Report report = on_pool({measured(Op::read, 1, 1, 1000, 900000)});
  CHECK(silent(report, "scrub-running"));
  fact(report, "zfs.scrub", "running");
  CHECK(line(report, "scrub-running") ==
        "suspect A scrub or resilver was running when the test began: the figures share the disks "
        "with it. | Wait for it (`zpool wait -t scrub,resilver tank`), or pause a scrub: `zpool "
        "scrub -p tank`.");
}

}  // namespace sthd::analyze
