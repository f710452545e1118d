#include "runner/host/facts.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "facts_tree.hpp"
#include "runner/host/counters.hpp"
#include "support/catch.hpp"

using sthd::Facts;
using sthd::Target;
using sthd::host::collect_facts;
using sthd::host::target_below;
using sthd::test::FactsTree;
using sthd::test::Tree;

namespace {

using Strings = std::vector<std::string>;

/// Text, number, or "unknown: why"; "absent" when there is no such fact.
std::string shown(const Facts& facts, const std::string& name) {
  const auto* fact = sthd::find_fact(facts, name);
  if (fact == nullptr) return "absent";
  if (const auto* number = std::get_if<double>(&fact->value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&fact->value)) return *text;
  return "unknown: " + fact->unknown_because;
}

struct Expected {
  const char* name;
  const char* value;
};

void check_all(const Facts& facts, const std::vector<Expected>& expected) {
  for (const auto& [name, value] : expected) {
    INFO(name);
    CHECK(shown(facts, name) == value);
  }
}

Facts facts_of(const FactsTree& tree, const std::string& path) {
  const auto target = target_below(tree.root(), path);
  REQUIRE(target.has_value());
  return collect_facts(tree.root(), *target);
}

/// "level name kind detail" of each link, then "name role" of each disk.
Strings chain_of(const Facts& facts) {
  Strings found;
  for (int i = 0; sthd::find_fact(facts, fmt::format("chain.{}.kind", i)) != nullptr; ++i) {
    const std::string key = fmt::format("chain.{}.", i);
    std::string text = shown(facts, key + "level") + " " + shown(facts, key + "name") + " " +
                       shown(facts, key + "kind");
    if (const auto detail = sthd::fact_text(facts, key + "detail"))
      text += " " + std::string(*detail);
    found.push_back(text);
  }
  for (const auto& name : sthd::host::disk_names(facts)) found.push_back("= " + name);
  return found;
}

}  // namespace

TEST_CASE("A virtual machine's facts, and why the others are not there", "[host][facts]") {
  check_all(facts_of(FactsTree("vm"), "/data"),
            {{"host.kernel", "6.18.5"},
             {"host.cmdline", "console=ttyS0 reboot=k panic=1 root=/dev/vda -- --firecracker-init"},
             {"host.distribution", "Debian GNU/Linux 12 (bookworm)"},
             {"host.platform", "plain"},
             {"host.vendor", "unknown: this machine shows no DMI table"},
             {"host.virtualisation", "firecracker"},
             {"host.container", "none"},
             {"host.uptime_s", "3600.25"},
             {"host.load_1m", "0.52"},
             {"psi.io_some_avg10_percent", "82.72"},
             {"psi.cpu_some_avg10_percent",
              "unknown: this kernel counts no pressure; psi=1 on its command line makes it"},
             {"cpu.model", "AMD EPYC"},
             {"cpu.cores", "2"},
             {"cpu.governor", "unknown: this machine shows no cpufreq"},
             {"cpu.mhz_now", "2596.14"},
             {"cpu.idle_states", "unknown: this machine shows no cpuidle"},
             {"cpu.idle_driver", "unknown: this machine shows no cpuidle"},
             {"pcie.aspm_policy", "default"},
             {"nvme.apst_latency_us", "unknown: no NVMe driver is loaded"},
             {"clock.source", "tsc"},
             {"clock.read_ns", "unknown: it is measured on a running machine only"},
             {"memory.total_bytes", "25276059648"},
             {"memory.page_cache_bytes", "1024102400"},
             {"memory.dirty_ratio_percent", "20"},
             {"memory.dirty_background_ratio_percent",
              "unknown: vm.dirty_background_bytes is set instead"},
             {"arc.size_bytes", "absent"},
             {"limits.memlock_bytes", "8388608"},
             {"limits.nofile", "1024"}});
}

TEST_CASE("The tightest cgroup limit on the way up counts, in both versions", "[host][facts]") {
  check_all(facts_of(FactsTree("vm"), "/"), {{"cgroup.cpu_max", "50000 100000"},
                                             {"cgroup.cpu_quota_cores", "0.5"},
                                             {"cgroup.memory_max_bytes", "1073741824"},
                                             {"cgroup.io_max", "254:0 wbps=20971520"}});
  check_all(facts_of(FactsTree("truenas-slog"), "/mnt/nvme-ultra-r10"),
            {{"cgroup.cpu_max", "200000 100000"},
             {"cgroup.cpu_quota_cores", "2"},
             {"cgroup.memory_max_bytes", "unknown: there is no memory limit"},
             {"cgroup.io_max", "259:0 rbps=max wbps=1048576 riops=max wiops=max"}});
  check_all(facts_of(FactsTree("workstation"), "/"),
            {{"cgroup.cpu_max", "unknown: no cgroup of this process controls the CPU"},
             {"cgroup.cpu_quota_cores", "absent"},
             {"cgroup.io_max", "unknown: no cgroup of this process controls I/O"}});
}

TEST_CASE("The case study's server: parked cores, deep idle states, a log device",
          "[host][facts]") {
  const FactsTree tree("truenas-slog");
  const Facts facts = facts_of(tree, "/mnt/nvme-ultra-r10/vm disks/x");
  check_all(facts, {{"host.platform", "truenas"},
                    {"host.distribution", "TrueNAS 25.04.1"},
                    {"host.vendor", "Dell Inc."},
                    {"host.product", "PowerEdge R630"},
                    {"host.virtualisation", "none"},
                    {"cpu.cores", "24"},
                    {"cpu.governor", "schedutil"},
                    {"cpu.driver", "intel_cpufreq"},
                    {"cpu.epp", "unknown: this CPU driver has no energy preference"},
                    {"cpu.mhz_min", "1200"},
                    {"cpu.mhz_max", "3300"},
                    {"cpu.mhz_now", "1200.069"},
                    {"cpu.idle_states", "POLL C1 C1E C3 C6"},
                    {"cpu.idle_latency_max_us", "133"},
                    {"cpu.idle_driver", "intel_idle"},
                    {"cpu.max_cstate", "9"},
                    {"nvme.apst_latency_us", "100000"},
                    {"clock.read_ns", "22.5"},
                    {"arc.size_bytes", "64424509440"},
                    {"arc.max_bytes", "107374182400"},
                    {"target.source", "nvme-ultra-r10/vm disks"},
                    {"target.compression", "on (lz4)"},
                    {"target.cow", "yes"},
                    {"target.quota", "refquota"},
                    {"target.quota_left_bytes", "21474836480"},
                    {"target.barrier", "absent"},
                    {"zfs.version", "2.3.0-1"},
                    {"zfs.pool", "nvme-ultra-r10"},
                    {"zfs.dataset", "nvme-ultra-r10/vm disks"},
                    {"zfs.recordsize_bytes", "16384"},
                    {"zfs.sync", "always"},
                    {"zfs.logbias", "latency"},
                    {"zfs.direct", "standard"},
                    {"zfs.atime", "off"},
                    {"zfs.ashift", "12"},
                    {"zfs.scrub", "running"},
                    {"zfs.data.0.name", "nvme0n1p1"},
                    {"zfs.data.1.name", "nvme1n1p1"},
                    {"zfs.data.2.name", "absent"},
                    {"zfs.log.0.name", "nvme2n1p1"},
                    {"zfs.log.1.name", "absent"},
                    {"disk.1.role", "data"},
                    {"disk.2.role", "log"},
                    {"disk.2.device", "259:4"},
                    {"disk.2.model", "INTEL SSDPEK1A118GA"},
                    {"disk.2.transport", "nvme"},
                    {"disk.2.write_cache", "write through"},
                    {"disk.2.fua", "no"},
                    {"disk.2.rotational", "no"},
                    {"disk.2.scheduler", "none"},
                    {"disk.2.size_bytes", "118366593024"},
                    {"disk.2.temperature_c", "41.85"},
                    {"disk.3.name", "absent"}});
  CHECK(chain_of(facts) == Strings{"0 nvme-ultra-r10 zfs", "1 nvme0n1p1 partition",
                                   "2 nvme0n1 disk", "1 nvme1n1p1 partition", "2 nvme1n1 disk",
                                   "1 nvme2n1p1 partition", "2 nvme2n1 disk", "= nvme0n1",
                                   "= nvme1n1", "= nvme2n1"});
}

TEST_CASE("Governors that differ are all named, and a disabled idle state does not count",
          "[host][facts]") {
  check_all(facts_of(FactsTree("workstation"), "/"), {{"host.platform", "proxmox"},
                                                      {"host.distribution", "Proxmox VE 8.4"},
                                                      {"cpu.cores", "4"},
                                                      {"cpu.governor", "powersave, performance"},
                                                      {"cpu.driver", "intel_pstate"},
                                                      {"cpu.epp", "balance_power, performance"},
                                                      {"cpu.mhz_min", "800"},
                                                      {"cpu.mhz_max", "4900"},
                                                      {"cpu.mhz_now", "2400"},
                                                      {"cpu.idle_states", "POLL C1E"},
                                                      {"cpu.idle_latency_max_us", "2"},
                                                      {"nvme.apst_latency_us", "0"}});
}

TEST_CASE("Each layer of a chain is named down to its disks", "[host][facts][chain]") {
  const FactsTree tree("workstation");
  const auto chain = [&](const char* path) { return chain_of(facts_of(tree, path)); };
  CHECK(chain("/home") == Strings{"0 pve-root dm LVM", "1 sda1 partition", "2 sda disk", "= sda"});
  CHECK(chain("/raid") == Strings{"0 md0 md raid1", "1 nvme0n1p3 partition", "2 nvme0n1 disk",
                                  "1 nvme1n1p3 partition", "2 nvme1n1 disk", "= nvme0n1",
                                  "= nvme1n1"});
  CHECK(chain("/secret") ==
        Strings{"0 secret luks CRYPT-LUKS2", "1 sda2 partition", "2 sda disk", "= sda"});
  CHECK(chain("/pool") ==
        Strings{"0 pool btrfs 2 devices", "1 sdb disk", "1 sdc disk", "= sdb", "= sdc"});
  CHECK(chain("/image") == Strings{"0 loop0 loop /secret/disk image.img",
                                   "1 secret luks CRYPT-LUKS2", "2 sda2 partition", "3 sda disk",
                                   "= sda"});
  CHECK(chain("/merged") == Strings{"0 overlay overlay /pool/up", "1 pool btrfs 2 devices",
                                    "2 sdb disk", "2 sdc disk", "= sdb", "= sdc"});
  CHECK(chain("/ram-image") == Strings{"0 loop1 loop /run/ram.img", "= loop1"});
  CHECK(chain("/zram") == Strings{"0 zram0 zram", "= zram0"});
  CHECK(chain("/nfs") == Strings{"0 [fd00::7]:/export/vm nfs"});
  CHECK(shown(facts_of(tree, "/run/x"), "chain.0.name") ==
        "unknown: \"tmpfs\" shows no device below it");
}

TEST_CASE("The disks of the facts are those that the jobs count", "[host][facts][chain]") {
  for (const char* name : {"vm", "workstation"}) {
    const FactsTree tree(name);
    for (const char* path : {"/", "/raid", "/secret", "/pool", "/image", "/ram-image", "/nfs"}) {
      const auto target = target_below(tree.root(), path);
      REQUIRE(target.has_value());
      INFO(name << path);
      CHECK(sthd::host::disk_names(collect_facts(tree.root(), *target)) ==
            sthd::host::leaf_disks(tree.root(), *target));
    }
  }
}

TEST_CASE("How a disk is attached is read from its place", "[host][facts][disk]") {
  const FactsTree tree("workstation");
  check_all(facts_of(tree, "/pool"),
            {{"disk.0.transport", "usb"},
             {"disk.0.model", "unknown: the disk names no model"},
             {"disk.0.fua", "unknown: the kernel shows no such queue setting"},
             {"disk.1.transport", "sas"},
             {"disk.1.model", "SEAGATE ST8000NM"}});
  check_all(facts_of(tree, "/"), {{"disk.0.transport", "sata"},
                                  {"disk.0.model", "Samsung SSD 870"},
                                  {"disk.0.temperature_c", "33"}});
  check_all(facts_of(FactsTree("vm"), "/"),
            {{"disk.0.transport", "virtio"},
             {"disk.0.model", "unknown: a virtio disk names no model"},
             {"disk.0.rotational", "yes"},
             {"disk.0.scheduler", "mq-deadline"},
             {"disk.0.physical_block_bytes", "4096"},
             {"disk.0.max_sectors_kb", "1280"}});
}

TEST_CASE("A disk's serial number is there as a hash, with its firmware and its throttle",
          "[host][facts][disk]") {
  const FactsTree tree("workstation");
  check_all(facts_of(tree, "/"), {{"disk.0.serial_hash", "e5170317c6e1"},
                                  {"disk.0.firmware", "SVT02B6Q"},
                                  {"disk.0.wbt_lat_us", "2000"},
                                  {"host.io_uring_disabled", "1"}});
  check_all(facts_of(tree, "/raid"),
            {{"disk.0.serial_hash", "6966280b95d1"}, {"disk.0.firmware", "5B2QGXA7"}});
  check_all(facts_of(tree, "/pool"),
            {{"disk.0.serial_hash", "unknown: the disk tells no serial number"},
             {"disk.0.firmware", "absent"},
             {"disk.0.wbt_lat_us", "absent"},
             {"disk.1.serial_hash", "9bc50af18e44"}});
  for (const char* path : {"/", "/raid", "/pool"}) {
    for (const auto& fact : facts_of(tree, path)) {
      const std::string text = shown({fact}, fact.name);
      INFO(fact.name);
      for (const char* secret : {"S6PNNS0W123456", "S5GXNX0R654321", "5000c500a1b2c3d4"}) {
        CHECK(text.find(secret) == text.npos);
      }
    }
  }
}

TEST_CASE("What the mount says of barriers, journal, compression and quotas",
          "[host][facts][target]") {
  const FactsTree tree("workstation");
  check_all(facts_of(FactsTree("vm"), "/"),
            {{"target.barrier", "off"}, {"target.data_mode", "journal"}, {"target.cow", "no"}});
  check_all(facts_of(tree, "/raid"), {{"target.barrier", "on"},
                                      {"target.data_mode", "writeback"},
                                      {"target.compression", "off"},
                                      {"target.quota", "none"},
                                      {"target.quota_left_bytes", "absent"},
                                      {"target.checksums", "absent"}});
  check_all(facts_of(tree, "/secret"),
            {{"target.quota", "unknown: user, group and project quotas are not read"},
             {"target.quota_left_bytes", "unknown: user, group and project quotas are not read"}});
  check_all(facts_of(tree, "/pool"), {{"target.compression", "on (zstd:3)"},
                                      {"target.cow", "yes"},
                                      {"target.checksums", "on"},
                                      {"target.quota", "btrfs qgroup 0/257"},
                                      {"target.quota_left_bytes", "16777216"}});
}

TEST_CASE("An NFS mount names its server, its version and whether it is synchronous",
          "[host][facts][nfs]") {
  check_all(facts_of(FactsTree("workstation"), "/nfs"),
            {{"nfs.server", "fd00::7"},
             {"nfs.version", "4.2"},
             {"nfs.sync", "yes"},
             {"nfs.options", "rw,sync,vers=4.2,rsize=1048576,hard,proto=tcp6"},
             {"disk.0.name", "unknown: \"nfs4\" shows no device below it"},
             {"target.cow", "unknown: \"nfs4\" does not tell"}});
}

TEST_CASE("Space and alignments come with the target", "[host][facts][target]") {
  const Tree tree;
  Target target;
  target.filesystem = "xfs";
  target.total_bytes = 1000;
  target.available_bytes = 250;
  target.direct_reported = true;
  target.direct_memory_alignment = 4;
  check_all(collect_facts(tree.root(), target),
            {{"target.total_bytes", "1000"},
             {"target.used_percent", "75"},
             {"target.direct_memory_alignment_bytes", "4"},
             {"target.direct_offset_alignment_bytes", "unknown: there is no O_DIRECT"}});
}

TEST_CASE("An empty root makes nothing up", "[host][facts]") {
  const Tree tree;
  for (const char* filesystem : {"", "ext4", "zfs", "btrfs", "overlay"}) {
    Target target;
    target.filesystem = filesystem;
    for (const auto& fact : collect_facts(tree.root(), target)) {
      INFO(filesystem << " " << fact.name);
      CHECK(std::holds_alternative<std::monostate>(fact.value) == !fact.unknown_because.empty());
      const auto first = fact.name.substr(0, fact.name.find('.'));
      if (first != "cpu" && first != "memory" && first != "disk") continue;
      CHECK(std::holds_alternative<std::monostate>(fact.value));
    }
  }
  CHECK_FALSE(target_below(tree.root(), "/mnt").has_value());
}

TEST_CASE("This machine's facts are there, each name once", "[host][facts]") {
  Target target;
  target.path = "/";
  const Facts facts = collect_facts("/", target);
  Strings names;
  for (const auto& fact : facts) names.push_back(fact.name);
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  CHECK(sthd::fact_number(facts, "cpu.cores").value_or(0) >= 1);
  CHECK(sthd::fact_number(facts, "clock.read_ns").value_or(0) > 0);
  CHECK(sthd::fact_number(facts, "memory.total_bytes").value_or(0) > 1e6);
}
