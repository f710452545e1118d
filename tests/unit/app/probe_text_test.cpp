#include "runner/app/probe_text.hpp"

#include <string>

#include "support/catch.hpp"

using sthd::Facts;
using sthd::app::probe_text;

TEST_CASE("Facts are grouped by subject, with units, and reasons at the end", "[app][probe]") {
  const Facts facts{{"host.kernel", "6.8", {}},
                    {"host.vendor", {}, "this machine shows no DMI table"},
                    {"host.product", {}, "this machine shows no DMI table"},
                    {"host.uptime_s", 90.0, {}},
                    {"psi.io_some_avg10_percent", 1.26, {}},
                    {"cpu.mhz_now", 1200.069, {}},
                    {"cpu.epp", {}, "no driver"},
                    {"clock.read_ns", 24.5, {}},
                    {"arc.size_bytes", 1073741824.0, {}},
                    {"disk.0.name", "sda", {}},
                    {"disk.0.max_sectors_kb", 1280.0, {}},
                    {"disk.1.temperature_c", 41.85, {}},
                    {"zfs.log.0.name", "sdb", {}}};
  CHECK(probe_text(facts, 100, false) ==
        "host     kernel 6.8; uptime 1m30s; psi io some avg10 1.3 %\n"
        "         (vendor, product: this machine shows no DMI table)\n"
        "cpu      mhz now 1200 MHz; clock read 24.5 ns (epp: no driver)\n"
        "memory   arc size 1.00 GiB\n"
        "disk 0   name sda; max sectors 1280 KiB\n"
        "disk 1   temperature 42 C\n"
        "zfs      log 0 name sdb\n");
  CHECK(probe_text({{"cpu.epp", {}, "no driver"}}, 100, true) ==
        "cpu      \x1b[2m(epp: no driver)\x1b[0m\n");
  CHECK(probe_text({}, 100, false).empty());
}

TEST_CASE("What lies below a layer is told from what lies beside it", "[app][probe]") {
  const Facts facts{{"chain.0.name", "md0", {}},        {"chain.0.kind", "md", {}},
                    {"chain.0.detail", "raid1", {}},    {"chain.0.level", 0.0, {}},
                    {"chain.1.name", "sda1", {}},       {"chain.1.kind", "partition", {}},
                    {"chain.1.level", 1.0, {}},         {"chain.2.name", "sda", {}},
                    {"chain.2.kind", "disk", {}},       {"chain.2.level", 2.0, {}},
                    {"chain.3.name", "sd\x1b[1mb", {}}, {"chain.3.kind", "disk", {}},
                    {"chain.3.level", 1.0, {}}};
  CHECK(probe_text(facts, 100, false) ==
        "chain    md0 (md: raid1) > sda1 (partition) > sda (disk), sd\\x1b[1mb (disk)\n");
  CHECK(probe_text({{"chain.0.name", {}, "\"tmpfs\" shows no device below it"}}, 100, false) ==
        "chain    (0 name: \"tmpfs\" shows no device below it)\n");
}

TEST_CASE("Only what is wider than a line is broken", "[app][probe]") {
  const Facts facts{{"host.kernel", "6.8", {}},
                    {"host.cmdline", "root=/dev/sda1 ro quiet intel_idle.max_cstate=1", {}},
                    {"host.platform", "plain", {}},
                    {"host.product", std::string(50, 'x'), {}}};
  CHECK(probe_text(facts, 40, false) ==
        "host     kernel 6.8; cmdline\n"
        "         root=/dev/sda1 ro quiet\n"
        "         intel_idle.max_cstate=1;\n"
        "         platform plain; product\n"
        "         " +
            std::string(50, 'x') + "\n");
}
