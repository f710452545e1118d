#include "runner/host/counters.hpp"

#include <unistd.h>

#include <string>
#include <vector>

#include "runner/host/counters_text.hpp"
#include "support/catch.hpp"
#include "tree.hpp"

using namespace sthd;
using namespace sthd::host;
using sthd::test::Tree;

namespace {

Target on(std::string filesystem) {
  Target target;
  target.filesystem = std::move(filesystem);
  return target;
}

/// The difference that `change` makes, the window left out.
template <class F>
Facts counted(Tree& tree, const Target& target, std::vector<std::string> disks, F change) {
  const Counters counters(tree.root(), target, std::move(disks));
  const Snapshot before = counters.read();
  change();
  Facts facts = difference(before, counters.read());
  REQUIRE(facts.size() >= 2);
  CHECK(facts.front().name == "window_ns");
  CHECK(facts.back().name == "wall.suspended_ns");
  return facts;
}

std::string why_unknown(const Facts& facts, std::string_view name) {
  const Fact* fact = find_fact(facts, name);
  if (fact == nullptr) return "no such fact";
  return std::holds_alternative<std::monostate>(fact->value) ? fact->unknown_because : "known";
}

Snapshot at(std::uint64_t ns, std::vector<Count> counts) { return {ns, ns, std::move(counts)}; }

/// Clock ticks as the nanoseconds they stand for.
double ticks(double n) { return n * 1e9 / static_cast<double>(::sysconf(_SC_CLK_TCK)); }

}  // namespace

TEST_CASE("A disk's counters become differences in bytes and ns", "[host][counters]") {
  Tree tree;
  tree.disk("vda", "254:0", " 10 0 80 5 20 0 160 7 0 12 20 0 0 0 0 3 4\n");
  const Facts facts = counted(tree, on("ext4"), {"vda"}, [&] {
    tree.put("/sys/class/block/vda/stat", "13 9 96 8 120 9 960 1007 2 512 1042 2 0 9 9 53 24\n");
  });
  CHECK(fact_text(facts, "disk.0.name") == "vda");
  CHECK(fact_number(facts, "disk.0.read_ios") == 3.0);
  CHECK(fact_number(facts, "disk.0.read_bytes") == 16 * 512.0);
  CHECK(fact_number(facts, "disk.0.read_ticks_ns") == 3e6);
  CHECK(fact_number(facts, "disk.0.write_ios") == 100.0);
  CHECK(fact_number(facts, "disk.0.write_bytes") == 800 * 512.0);
  CHECK(fact_number(facts, "disk.0.write_ticks_ns") == 1e9);
  CHECK(fact_number(facts, "disk.0.flush_ios") == 50.0);
  CHECK(fact_number(facts, "disk.0.flush_ticks_ns") == 20e6);
  CHECK(fact_number(facts, "disk.0.discard_ios") == 2.0);
  CHECK(fact_number(facts, "disk.0.busy_ns") == 500e6);
  const auto window = fact_number(facts, "window_ns");
  CHECK(fact_number(facts, "disk.0.in_flight_mean") == Approx(1.022e9 / *window));
}

TEST_CASE("Disks are numbered as they were given", "[host][counters]") {
  Tree tree;
  tree.disk("sdb", "8:16", "1 0 0 0 0 0 0 0 0 0 0\n").disk("sda", "8:0", "2 0 0 0 0 0 0 0 0 0 0\n");
  const Facts facts = counted(tree, on("ext4"), {"sdb", "sda"}, [&] {
    tree.put("/sys/class/block/sdb/stat", "8 0 0 0 0 0 0 0 0 0 0\n");
  });
  CHECK(fact_text(facts, "disk.0.name") == "sdb");
  CHECK(fact_number(facts, "disk.0.read_ios") == 7.0);
  CHECK(fact_text(facts, "disk.1.name") == "sda");
  CHECK(fact_number(facts, "disk.1.read_ios") == 0.0);
}

TEST_CASE("What an old kernel does not count is unknown, with the reason", "[host][counters]") {
  Tree tree;
  tree.disk("vda", "254:0", "1 0 0 0 5 0 0 0 0 0 0\n");
  const Facts facts = counted(tree, on("ext4"), {"vda", "gone"}, [] {});
  CHECK(fact_number(facts, "disk.0.write_ios") == 0.0);
  CHECK(why_unknown(facts, "disk.0.flush_ios") ==
        "/sys/class/block/vda/stat has no such column: it needs Linux 5.5");
  CHECK(why_unknown(facts, "disk.0.discard_ios") ==
        "/sys/class/block/vda/stat has no such column: it needs Linux 4.18");
  CHECK(why_unknown(facts, "disk.1.write_ios") == "/sys/class/block/gone/stat cannot be read");
}

TEST_CASE("Host, job and threads are counted", "[host][counters]") {
  Tree tree;
  tree.put("/proc/stat", "cpu  10 1 20 500 40 2 3 60 0 0\ncpu0 9 9 9 9 9 9 9 9 9 9\nctxt 1000\n");
  tree.put("/proc/self/io", "rchar: 1\nread_bytes: 4096\nwrite_bytes: 0\n");
  tree.put("/proc/self/task/7/schedstat", "1000 200 3\n");
  const Facts facts = counted(tree, on("ext4"), {}, [&] {
    tree.put("/proc/stat", "cpu  110 2 120 700 50 4 6 75 0 0\ncpu0 9 9 9 9\nctxt 1500\n");
    tree.put("/proc/self/io", "rchar: 1\nread_bytes: 8192\nwrite_bytes: 512\n");
    tree.put("/proc/self/task/7/schedstat", "1500 300 4\n");
    tree.put("/proc/self/task/8/schedstat", "5000 700 1\n");
  });
  CHECK(fact_number(facts, "host.cpu_busy_ns") == ticks(100 + 1 + 100 + 2 + 3));
  CHECK(fact_number(facts, "host.cpu_idle_ns") == ticks(200));
  CHECK(fact_number(facts, "host.iowait_ns") == ticks(10));
  CHECK(fact_number(facts, "host.steal_ns") == ticks(15));
  CHECK(fact_number(facts, "host.context_switches") == 500.0);
  CHECK(fact_number(facts, "own.read_bytes") == 4096.0);
  CHECK(fact_number(facts, "own.write_bytes") == 512.0);
  CHECK(fact_number(facts, "own.run_ns") == 5500.0);
  CHECK(fact_number(facts, "own.steal_ns") == 800.0);
}

TEST_CASE("Pressure of I/O is counted by its total", "[host][counters]") {
  Tree tree;
  tree.put("/proc/pressure/io",
           "some avg10=1.00 avg60=0.00 avg300=0.00 total=1500\n"
           "full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n");
  const Facts facts = counted(tree, on("ext4"), {}, [&] {
    tree.put("/proc/pressure/io", "some avg10=1.00 avg60=0.00 avg300=0.00 total=4000\n");
  });
  CHECK(fact_number(facts, "psi.io_some_ns") == 2500000.0);
}

TEST_CASE("Nothing readable is nothing known", "[host][counters]") {
  Tree tree;
  const Facts facts = counted(tree, on("ext4"), {}, [] {});
  CHECK(why_unknown(facts, "host.steal_ns") == "/proc/stat cannot be read");
  CHECK(why_unknown(facts, "own.write_bytes") == "/proc/self/io cannot be read");
  CHECK(why_unknown(facts, "psi.io_some_ns") ==
        "this kernel counts no pressure; psi=1 on its command line makes it");
  CHECK(why_unknown(facts, "own.run_ns") ==
        "/proc/self/task/*/schedstat cannot be read, or are too many");
  CHECK(why_unknown(facts, "cgroup.throttled_ns") ==
        "no cgroup of this process counts CPU throttling");
  CHECK(why_unknown(facts, "arc.hits") == "no such fact");
  CHECK(why_unknown(facts, "nfs.ops") == "no such fact");
}

TEST_CASE("Throttling is that of the nearest cgroup with a quota", "[host][counters][cgroup]") {
  Tree tree;
  tree.put("/proc/self/mountinfo", "31 1 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.put("/proc/self/cgroup", "0::/limited.slice/a.scope\n");
  const std::string slice = "/sys/fs/cgroup/limited.slice/";
  tree.put(slice + "a.scope/cpu.stat", "usage_usec 5\nnr_throttled 0\nthrottled_usec 0\n");
  tree.put(slice + "a.scope/cpu.max", "max 100000\n");
  tree.put(slice + "cpu.stat", "usage_usec 5\nnr_throttled 3\nthrottled_usec 70\n");
  tree.put(slice + "cpu.max", "50000 100000\n");
  const Facts facts = counted(tree, on("ext4"), {}, [&] {
    tree.put(slice + "cpu.stat", "usage_usec 5\nnr_throttled 13\nthrottled_usec 570\n");
  });
  CHECK(fact_number(facts, "cgroup.throttled_periods") == 10.0);
  CHECK(fact_number(facts, "cgroup.throttled_ns") == 500'000.0);
}

TEST_CASE("A version 1 cgroup counts in ns, a container's below the root of its mount",
          "[host][counters][cgroup]") {
  Tree tree;
  tree.put("/proc/self/mountinfo",
           "31 1 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
           "32 1 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  tree.put("/proc/self/cgroup", "2:cpu,cpuacct:/docker/abc\n0::/\n");
  tree.put("/sys/fs/cgroup/unified/cpu.stat", "usage_usec 5\n");
  tree.put("/sys/fs/cgroup/cpu/cpu.stat", "nr_periods 9\nnr_throttled 1\nthrottled_time 1000\n");
  CHECK(counters::cgroup_stat_file(tree.root()) == tree.root() + "/sys/fs/cgroup/cpu/cpu.stat");
  const Facts facts = counted(tree, on("ext4"), {}, [&] {
    tree.put("/sys/fs/cgroup/cpu/cpu.stat", "nr_throttled 4\nthrottled_time 3000\n");
  });
  CHECK(fact_number(facts, "cgroup.throttled_ns") == 2000.0);
  CHECK(fact_number(facts, "cgroup.throttled_periods") == 3.0);
}

TEST_CASE("On ZFS the ARC's and the dataset's own ZIL counters count", "[host][counters][zfs]") {
  Tree tree;
  const std::string zfs = "/proc/spl/kstat/zfs/";
  const auto zil = [](int commits, int bytes) {
    return "1 2 3\nname type data\ndataset_name                    7    tank/a b\n"
           "zil_commit_count                4    " +
           std::to_string(commits) + "\nzil_itx_metaslab_slog_bytes     4    " +
           std::to_string(bytes) + "\n";
  };
  tree.put(zfs + "arcstats", "name type data\nhits 4 100\nmisses 4 5\nsize 4 4096\n");
  tree.put(zfs + "zil", "zil_commit_count 4 1000\nzil_itx_metaslab_slog_bytes 4 9\n");
  tree.put(zfs + "tank/objset-0x36", "dataset_name 7 tank\nzil_commit_count 4 1\n");
  tree.put(zfs + "tank/objset-0x91", zil(10, 4096));
  Target target = on("zfs");
  target.source = "tank/a b";
  const Facts facts = counted(tree, target, {}, [&] {
    tree.put(zfs + "arcstats", "name type data\nhits 4 150\nmisses 4 6\nsize 4 8192\n");
    tree.put(zfs + "tank/objset-0x91", zil(12, 12288));
    tree.put(zfs + "zil", "zil_commit_count 4 5000\nzil_itx_metaslab_slog_bytes 4 99999\n");
  });
  CHECK(fact_number(facts, "arc.hits") == 50.0);
  CHECK(fact_number(facts, "arc.misses") == 1.0);
  CHECK(fact_number(facts, "arc.size_bytes") == 8192.0);
  CHECK(fact_number(facts, "zil.commits") == 2.0);
  CHECK(fact_number(facts, "zil.slog_bytes") == 8192.0);
  CHECK(why_unknown(facts, "arc.demand_data_hits") == "/proc/spl/kstat/zfs/arcstats does not tell");
  CHECK(why_unknown(facts, "zil.indirect_count") == "/proc/spl/kstat/zfs/zil does not tell");
}

TEST_CASE("A dataset without ZIL counters, as in OpenZFS 2.1, has those of all pools",
          "[host][counters][zfs]") {
  Tree tree;
  const std::string zfs = "/proc/spl/kstat/zfs/";
  tree.put(zfs + "zil", "zil_commit_count                4    1833\n");
  tree.put(zfs + "tank/objset-0x91", "dataset_name 7 tank/ds\nwrites 4 1418\n");
  CHECK(counters::zil_stat_file(tree.root(), "tank/ds") == tree.root() + zfs + "zil");
  CHECK(counters::zil_stat_file(tree.root(), "") == tree.root() + zfs + "zil");
  CHECK(counters::zil_stat_file("/nonexistent", "tank/ds").empty());
  tree.put(zfs + "zil", "dataset_name\n");
  CHECK(counters::zil_stat_file(tree.root(), "tank/ds").empty());
}

TEST_CASE("An NFS mount's data RPCs are counted, and no other mount's", "[host][counters][nfs]") {
  const auto stats = [](int ops, int rtt, int execute) {
    const std::string line = std::to_string(ops) + " 0 0 0 0 5 " + std::to_string(rtt) + " " +
                             std::to_string(execute) + " 0\n";
    return "device tmpfs mounted on /tmp with fstype tmpfs\n"
           "device srv:/a mounted on /mnt/a\\040b with fstype nfs4 statvers=1.1\n"
           "\topts:\trw,vers=4.2\n\tper-op statistics\n"
           "\t        NULL: 9 9 9 9 9 9 9 9 9\n\t        READ: " +
           line + "\t       WRITE: " + line + "\t      COMMIT: 1 0 0 0 0 0 2 3 0\n" +
           "device srv:/b mounted on /mnt/b with fstype nfs4 statvers=1.1\n"
           "\tper-op statistics\n\t       WRITE: 1000 0 0 0 0 0 1000 1000 0\n";
  };
  Tree tree;
  tree.put("/proc/self/mountstats", stats(10, 20, 30));
  Target target = on("nfs4");
  target.mount_point = "/mnt/a b";
  const Facts facts =
      counted(tree, target, {}, [&] { tree.put("/proc/self/mountstats", stats(110, 220, 330)); });
  CHECK(fact_number(facts, "nfs.ops") == 200.0);
  CHECK(fact_number(facts, "nfs.rtt_ns") == 400e6);
  CHECK(fact_number(facts, "nfs.execute_ns") == 600e6);
  target.mount_point = "/elsewhere";
  CHECK(why_unknown(counted(tree, target, {}, [] {}), "nfs.ops") ==
        "/proc/self/mountstats does not have the mount");
}

TEST_CASE("A counter that went backwards or away is unknown", "[host][counters]") {
  const Facts facts = difference(at(0, {{.name = "a.back", .value = 7},
                                        {.name = "a.came", .unknown_because = "not there"},
                                        {.name = "a.went", .value = 7}}),
                                 at(5, {{.name = "a.back", .value = 6},
                                        {.name = "a.came", .value = 6},
                                        {.name = "a.went", .unknown_because = "not there"}}));
  CHECK(why_unknown(facts, "a.back") == "the counter went backwards");
  CHECK(why_unknown(facts, "a.came") == "not there");
  CHECK(why_unknown(facts, "a.went") == "not there");
  CHECK(fact_number(facts, "window_ns") == 5.0);
}

TEST_CASE("A mean is by the window, which may have no length", "[host][counters]") {
  const Count zero{.name = "m", .kind = Count::Kind::mean, .value = 0};
  const Count some{.name = "m", .kind = Count::Kind::mean, .value = 300};
  CHECK(fact_number(difference(at(0, {zero}), at(100, {some})), "m") == 3.0);
  CHECK(why_unknown(difference(at(7, {zero}), at(7, {some})), "m") == "the window has no length");
}

TEST_CASE("Time that only CLOCK_BOOTTIME counted is suspension", "[host][counters]") {
  const auto slept = [](std::uint64_t boottime_ns) {
    return *fact_number(difference({100, 500, {}}, {100 + kSecond, 500 + boottime_ns, {}}),
                        "wall.suspended_ns");
  };
  CHECK(slept(3 * kSecond) == 2e9);
  CHECK(slept(kSecond) == 0.0);
  CHECK(slept(kSecond + 1000) == 0.0);  // between the two readings
  CHECK(slept(kSecond - 1000) == 0.0);
}

TEST_CASE("The real counters of this machine can be read", "[host][counters]") {
  Target target;
  const Counters counters("", target, {});
  const auto before = counters.read();
  const Facts facts = difference(before, counters.read());
  CHECK(fact_number(facts, "host.context_switches").has_value());
  CHECK(fact_number(facts, "host.cpu_idle_ns").has_value());
  CHECK(*fact_number(facts, "window_ns") > 0);
}
