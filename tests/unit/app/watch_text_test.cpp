#include "runner/app/watch_text.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::app;
using Strings = std::vector<std::string>;

namespace {

constexpr double kWindow = 10e9;  // ns

void put(Facts& facts, const std::string& name, double value) {
  facts.push_back({name, value, {}});
}
void put(Facts& facts, const std::string& name, const char* value) {
  facts.push_back({name, std::string(value), {}});
}

/// Counts of disk `n` over the ten seconds; ticks in ms.
void put_disk(Facts& window, int n, const char* name, double writes, double write_ms,
              double flushes, double flush_ms) {
  const std::string key = "disk." + std::to_string(n) + ".";
  put(window, key + "name", name);
  put(window, key + "read_ios", 0.0);
  put(window, key + "read_bytes", 0.0);
  put(window, key + "read_ticks_ns", 0.0);
  put(window, key + "write_ios", writes);
  put(window, key + "write_bytes", writes * 4096);
  put(window, key + "write_ticks_ns", write_ms * 1e6);
  put(window, key + "flush_ios", flushes);
  put(window, key + "flush_ticks_ns", flush_ms * 1e6);
  put(window, key + "in_flight_mean", (write_ms + flush_ms) / 1e4);
  put(window, key + "busy_ns", (write_ms + flush_ms) * 1e6);
}

Facts window_of() {
  Facts window;
  put(window, "window_ns", kWindow);
  return window;
}

Facts on_ext4() {
  Facts facts;
  put(facts, "target.path", "/mnt/data");
  put(facts, "target.filesystem", "ext4");
  put(facts, "target.source", "/dev/sda1");
  put(facts, "target.barrier", "on");
  put(facts, "disk.0.name", "sda");
  put(facts, "disk.0.role", "data");
  put(facts, "disk.0.write_cache", "write back");
  return facts;
}

/// Two data disks and a log, as the facts of a pool name them.
Facts on_zfs() {
  Facts facts;
  put(facts, "target.path", "/mnt/tank");
  put(facts, "target.filesystem", "zfs");
  put(facts, "target.source", "tank/vm");
  put(facts, "zfs.sync", "standard");
  put(facts, "zfs.logbias", "latency");
  for (const auto& [n, name, role] : {std::tuple{0, "nvme0n1", "data"}, {1, "nvme2n1", "log"}}) {
    const std::string key = "disk." + std::to_string(n) + ".";
    put(facts, key + "name", name);
    put(facts, key + "role", role);
    put(facts, key + "write_cache", n == 1 ? "write through" : "write back");
  }
  return facts;
}

}  // namespace

TEST_CASE("Flushes that fill the time bind the sync writes to the device", "[app][watch]") {
  Facts window = window_of();
  put_disk(window, 0, "sda", 12340, 1234, 12340, 5182.8);
  CHECK(watch_sentences(on_ext4(), window) ==
        Strings{"1234 flushes/s reach sda; each takes 0.42 ms, 52 % of the time together: sync "
                "writes are bound by the device.",
                "A write and its flush take 0.52 ms at sda: one writer that waits for each gets at "
                "most 1923 sync writes/s from it.",
                "sda had I/O in flight 64 % of the time, 0.6 at once on average."});
}

TEST_CASE("A device that is seldom flushed could take more", "[app][watch]") {
  Facts window = window_of();
  put_disk(window, 0, "sda", 50, 4, 45, 3.6);
  CHECK(watch_sentences(on_ext4(), window) ==
        Strings{"4.5 flushes/s reach sda; each takes 80.0 us, 0 % of the time together: the device "
                "could take more.",
                "A write and its flush take 0.16 ms at sda: one writer that waits for each gets at "
                "most 6250 sync writes/s from it."});
}

TEST_CASE("No flush is told with what is known of its reason", "[app][watch]") {
  Facts window = window_of();
  put_disk(window, 0, "sda", 100, 10, 0, 0);
  const auto first = [&window](const Facts& facts) { return watch_sentences(facts, window).at(0); };
  Facts facts = on_ext4();
  CHECK(first(facts) == "No flush reached sda: nobody asked for durability.");
  facts[3] = {"target.barrier", std::string("off"), {}};
  CHECK(first(facts) ==
        "No flush reached sda: the filesystem has its barriers off, so a power cut can lose what a "
        "volatile cache holds.");
  facts[3] = {"target.barrier", {}, "it does not tell"};
  CHECK(first(facts) ==
        "No flush reached sda: nobody asked for durability, or the filesystem has its barriers "
        "off.");
  put(facts, "zfs.sync", "disabled");
  CHECK(first(facts) ==
        "No flush reached sda: the dataset has sync=disabled, so nothing that asks for durability "
        "gets it.");
}

TEST_CASE("A write-through disk is sent no flush, which says nothing of its load", "[app][watch]") {
  Facts window = window_of();
  put_disk(window, 0, "sda", 100, 10, 0, 0);
  Facts facts = on_ext4();
  facts.back() = {"disk.0.write_cache", std::string("write through"), {}};
  CHECK(watch_sentences(facts, window) ==
        Strings{"sda has no volatile cache (write through), so the kernel sends no flushes: writes "
                "are durable when they end, and the counters cannot tell which of them were asked "
                "to be."});
}

TEST_CASE("A log device that takes the ZIL is told with its share and its limit", "[app][watch]") {
  Facts window = window_of();
  put_disk(window, 0, "nvme0n1", 100, 10, 2, 1);
  put_disk(window, 1, "nvme2n1", 20000, 260, 0, 0);
  put(window, "zil.commits", 20000.0);
  put(window, "zil.slog_bytes", 81.92e6);
  put(window, "zil.normal_bytes", 0.0);
  put(window, "zil.indirect_bytes", 0.0);
  CHECK(watch_sentences(on_zfs(), window) ==
        Strings{"2000 ZIL commits/s: the log device nvme2n1 took 100 % of the ZIL, 8.19 MB/s.",
                "nvme2n1 has no volatile cache (write through), so the kernel sends no flushes: "
                "writes are durable when they end, and the counters cannot tell which of them were "
                "asked to be.",
                "A write takes 13.0 us at nvme2n1: one writer that waits for each gets at most "
                "76923 sync writes/s from it."});
}

TEST_CASE("A ZIL that passes the log device over is told", "[app][watch]") {
  Facts window = window_of();
  put_disk(window, 0, "nvme0n1", 0, 0, 0, 0);
  put_disk(window, 1, "nvme2n1", 0, 0, 0, 0);
  put(window, "zil.commits", 50.0);
  put(window, "zil.slog_bytes", 0.0);
  put(window, "zil.normal_bytes", 40e6);
  put(window, "zil.indirect_bytes", 20e6);
  Facts facts = on_zfs();
  facts[4] = {"zfs.logbias", std::string("throughput"), {}};
  const Strings found = watch_sentences(facts, window);
  REQUIRE(found.size() == 3);
  CHECK(found[0] ==
        "5.0 ZIL commits/s: the pool's own disks took all of the ZIL, 4.00 MB/s, and the log "
        "device nvme2n1 none.");
  CHECK(found[1] ==
        "2.00 MB/s of sync writes went around the ZIL's blocks, straight to the data disks: the "
        "dataset has logbias=throughput.");
  CHECK(found[2] == "No read or write reached the disks: the load, if there is one, stays in RAM.");
}

TEST_CASE("Host, stalls and NFS are told with their numbers", "[app][watch]") {
  Facts window = window_of();
  put_disk(window, 0, "sda", 100, 10, 0, 0);
  put(window, "disk.0.longest_stall_ns", 1.3e9);
  put(window, "nfs.ops", 5000.0);
  put(window, "nfs.rtt_ns", 2e9);
  put(window, "nfs.execute_ns", 2.1e9);
  put(window, "cpu.mhz_mean", 1200.0);
  put(window, "cpu.idle_deep_share_percent", 85.0);
  put(window, "host.cpu_busy_ns", 10e9);
  put(window, "host.cpu_idle_ns", 8e9);
  put(window, "host.iowait_ns", 1e9);
  put(window, "host.steal_ns", 1e9);
  put(window, "psi.io_some_ns", 4.5e9);
  Facts facts = on_ext4();
  put(facts, "cpu.mhz_max", 3600.0);
  put(facts, "cpu.governor", "powersave");
  put(facts, "cpu.idle_latency_max_us", 133.0);
  CHECK(watch_sentences(facts, window) ==
        Strings{"No flush reached sda: nobody asked for durability.",
                "500 NFS reads, writes and commits/s; each takes 0.40 ms at the server and on the "
                "way there, and waits 20.0 us before it is sent.",
                "sda ended nothing for 1.3 s although I/O was in flight.",
                "The cores ran at 1.2 of 3.6 GHz (governor powersave): each sync write pays for it "
                "above the device.",
                "The cores slept 85 % of the time in a state that takes 133 us to leave.",
                "The hypervisor kept 5.0 % of the CPU time to itself.",
                "At least one task waited for I/O 45 % of the time."});
}

TEST_CASE("Where nothing is known, nothing is said", "[app][watch]") {
  Facts window = window_of();
  CHECK(watch_sentences({}, window).empty());
  put(window, "disk.0.name", "sda");
  window.push_back({"disk.0.flush_ios", {}, "it needs Linux 5.5"});
  CHECK(watch_sentences({}, window).empty());
  CHECK(watch_sentences({}, {}).empty());
  CHECK(watch_line({}, window).empty());
}

TEST_CASE("The summary has a line for each disk, and names what is not known", "[app][watch]") {
  Facts window = window_of();
  put_disk(window, 0, "nvme0n1", 100, 10, 2, 1);
  put_disk(window, 1, "nvme2n1", 20000, 260, 0, 0);
  put(window, "disk.1.longest_stall_ns", 0.0);
  window.push_back({"cpu.mhz_mean", {}, "no cpufreq driver tells the CPUs' frequencies"});
  CHECK(watch_text(on_zfs(), window) ==
        "Watched /mnt/tank (zfs on tank/vm) for 10.0 s; the counters are those of whole disks, "
        "whoever uses them.\n"
        "\n"
        "disk     role  read/s  MB/s  write/s  MB/s   us  flush/s   us  busy  depth  stall\n"
        "nvme0n1  data     0.0  0.00     10.0  0.04  100      0.2  500   0 %    0.0\n"
        "nvme2n1  log      0.0  0.00   2000.0  8.19   13      0.0        3 %    0.0  0.0 s\n"
        "\n"
        "- nvme2n1 has no volatile cache (write through), so the kernel sends no flushes: writes "
        "are durable\n"
        "  when they end, and the counters cannot tell which of them were asked to be.\n"
        "- A write takes 13.0 us at nvme2n1: one writer that waits for each gets at most 76923 "
        "sync writes/s\n"
        "  from it.\n"
        "\n"
        "(not known: cpu.mhz_mean: no cpufreq driver tells the CPUs' frequencies)\n");
}

TEST_CASE("Without a disk the summary says why", "[app][watch]") {
  Facts facts;
  put(facts, "target.path", "/run");
  put(facts, "target.filesystem", "tmpfs");
  facts.push_back({"disk.0.name", {}, "\"tmpfs\" shows no device below it"});
  CHECK(watch_text(facts, window_of()) ==
        "Watched /run (tmpfs) for 10.0 s.\n\n(not known: disk.0.name: \"tmpfs\" shows no device "
        "below it)\n");
}

TEST_CASE("Names from elsewhere are shown harmless", "[app][watch]") {
  Facts facts = on_ext4();
  facts[0] = {"target.path", std::string("/mnt/\x1b[2J"), {}};
  Facts window = window_of();
  put_disk(window, 0, "sd\x1b", 1, 1, 0, 0);
  const std::string text = watch_text(facts, window);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("Watched /mnt/\\x1b[2J (ext4") == 0);
  CHECK(text.find("\nsd\\x1b  data") != std::string::npos);
}

TEST_CASE("The live line adds the disks up", "[app][watch]") {
  Facts second = window_of();
  put_disk(second, 0, "nvme0n1", 100, 10, 20, 1);
  put_disk(second, 1, "nvme2n1", 20000, 260, 0, 0);
  put(second, "zil.commits", 20000.0);
  put(second, "zil.slog_bytes", 81.92e6);
  put(second, "cpu.mhz_mean", 2400.0);
  put(second, "host.cpu_busy_ns", 5e9);
  put(second, "host.cpu_idle_ns", 15e9);
  put(second, "host.iowait_ns", 0.0);
  put(second, "host.steal_ns", 0.0);
  put(second, "psi.io_some_ns", 1e9);
  CHECK(watch_line(on_zfs(), second) == Strings{"w 8.2 MB/s 2010 IOPS 13 us", "r 0.0 MB/s 0 IOPS",
                                                "2 flush/s", "ZIL 2000/s", "slog 8.2 MB/s",
                                                "busy 3 %", "depth 0.0", "CPU 2.4 GHz",
                                                "CPU idle 75 %", "waiting for I/O 10 %"});
}
