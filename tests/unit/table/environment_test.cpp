#include "kit/table/environment.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/reports.hpp"

namespace sthd::table {
namespace {

std::string text_of(const std::vector<Known>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Known& known) { return known.name == name; });
  return found == all.end() ? "(none)" : found->text;
}

/// As in the case study: a pool of six disks and a log device.
Report pool_report() {
  Report report = test::original_slog_report();
  report.environment.cpu_model = "Intel Xeon E5-2680 v3";
  report.environment.cpus = 24;
  report.target.filesystem = "zfs";
  report.target.filesystem_version = "2.3.4";
  report.facts = {{"host.vendor", "Dell Inc.", ""},
                  {"host.product", "PowerEdge R630", ""},
                  {"host.distribution", "TrueNAS 25.10", ""},
                  {"host.virtualisation", "none", ""},
                  {"cpu.governor", "schedutil", ""},
                  {"cpu.driver", "intel_cpufreq", ""},
                  {"cpu.mhz_now", 1200.0, ""},
                  {"cpu.epp", {}, "intel_cpufreq has none"},
                  {"zfs.pool", "tank", ""},
                  {"zfs.dataset", "tank/vm", ""},
                  {"zfs.sync", "always", ""}};
  for (int i = 0; i < 7; ++i) {
    const std::string key = "disk." + std::to_string(i) + ".";
    report.facts.push_back({key + "name", "nvme" + std::to_string(i) + "n1", ""});
    report.facts.push_back({key + "role", i == 6 ? "log" : "data", ""});
    report.facts.push_back({key + "model", i == 6 ? "P1600X" : "XG7000", ""});
  }
  return report;
}

TEST_CASE("The environment is one line of what is known", "[table][environment]") {
  CHECK(environment_line(pool_report()) ==
        "Intel Xeon E5-2680 v3, 24 CPUs; Linux 6.1.0; ZFS 2.3.4 on 6 x XG7000, log on P1600X");
  CHECK(environment_line(test::original_slog_report()) == "a CPU, 8 CPUs; Linux 6.1.0; ext4");
  CHECK(environment_line({}).empty());
  Report bare;
  bare.target.filesystem = "zfs";
  CHECK(environment_line(bare) == "ZFS");
}

TEST_CASE("A disk that names no model has its name", "[table][environment]") {
  Report report;
  report.target.filesystem = "ext4";
  report.facts = {{"disk.0.name", "vda", ""},
                  {"disk.0.role", "data", ""},
                  {"disk.0.model", {}, "a virtio disk names no model"},
                  {"disk.1.name", "vdb\x1b", ""},
                  {"disk.1.role", "data", ""}};
  CHECK(environment_line(report) == "ext4 on vda, vdb\\x1b");
}

TEST_CASE("The set-up of a write-up tells server, pool and log device", "[table][environment]") {
  const auto setup = setup_of(pool_report());
  CHECK(text_of(setup, "Server") == "Dell Inc. PowerEdge R630");
  CHECK(text_of(setup, "CPU governor") == "schedutil (intel_cpufreq)");
  CHECK(text_of(setup, "OS") == "TrueNAS 25.10, Linux 6.1.0");
  CHECK(text_of(setup, "Filesystem") == "ZFS 2.3.4");
  CHECK(text_of(setup, "Pool") == "tank (6 x XG7000)");
  CHECK(text_of(setup, "Log device") == "P1600X");
  CHECK(text_of(setup, "Dataset") == "/mnt/pool (tank/vm, sync=always)");
  CHECK(text_of(setup, "Measured with") ==
        "speedtest-hd 0.1.0, profile slog, native-psync psync, 2025-01-02T03:04:05Z");
}

TEST_CASE("The set-up leaves out what is unknown", "[table][environment]") {
  const auto setup = setup_of(test::original_slog_report());
  CHECK(text_of(setup, "Server") == "(none)");
  CHECK(text_of(setup, "CPU governor") == "(none)");
  CHECK(text_of(setup, "Pool") == "(none)");
  CHECK(text_of(setup, "Filesystem") == "ext4");
  CHECK(text_of(setup, "OS") == "Debian GNU/Linux 12, Linux 6.1.0");
  CHECK(text_of(setup_of({}), "Measured with") == "speedtest-hd");
}

TEST_CASE("A virtual machine says so", "[table][environment]") {
  Report report;
  report.facts = {{"host.virtualisation", "kvm", ""}};
  CHECK(text_of(setup_of(report), "Server") == "virtual: kvm");
  report.facts.push_back({"host.vendor", "QEMU", ""});
  CHECK(text_of(setup_of(report), "Server") == "QEMU (virtual: kvm)");
}

TEST_CASE("The whole environment has every fact, and why one is missing", "[table][environment]") {
  const auto all = environment_of(pool_report());
  CHECK(text_of(all, "host") == "nas");
  CHECK(text_of(all, "memory") == "16.00 GiB");
  CHECK(text_of(all, "cpu.mhz_now") == "1200");
  CHECK(text_of(all, "cpu.epp") == "unknown: intel_cpufreq has none");
  CHECK(text_of(all, "disk.6.model") == "P1600X");
  CHECK(environment_of({}).empty());
}

}  // namespace
}  // namespace sthd::table
