#include "sthd/expectation.hpp"

#include "support/catch.hpp"

namespace sthd {
namespace {

Facts of_disks() {
  return {{"target.filesystem", "zfs", ""},
          {"host.platform", "truenas", ""},
          {"cpu.cores", 8.0, ""},
          {"cpu.mhz_now", 1200.5, ""},
          {"cpu.governor", {}, "no cpufreq driver is loaded"},
          {"disk.0.role", "data", ""},
          {"disk.0.model", "WDC WD40EFRX", ""},
          {"disk.1.role", "log", ""},
          {"disk.1.model", "INTEL SSDPEK1A118GA", ""}};
}

std::optional<bool> fits(const Facts& facts, const char* name, const char* glob) {
  return matches({name, glob}, facts);
}

TEST_CASE("A fact is matched by its whole text", "[sdk][expectation]") {
  const Facts facts = of_disks();
  CHECK(fits(facts, "filesystem", "zfs") == true);
  CHECK(fits(facts, "target.filesystem", "z*") == true);
  CHECK(fits(facts, "filesystem", "z") == false);
  CHECK(fits(facts, "platform", "true[nN]as") == true);
  CHECK(fits(facts, "cpu.cores", "8") == true);
  CHECK(fits(facts, "cpu.mhz_now", "1200.5") == true);
  CHECK(fits(facts, "cpu.governor", "*") == std::nullopt);
  CHECK(fits(facts, "cpu.epp", "*") == std::nullopt);
}

TEST_CASE("A role's model is that of all its disks, and there must be one", "[sdk][expectation]") {
  Facts facts = of_disks();
  CHECK(fits(facts, "log_device_model", "*SSDPEK1A*") == true);
  CHECK(fits(facts, "log_device_model", "WDC*") == false);
  CHECK(fits(facts, "data_device_model", "WDC*") == true);
  facts.push_back({"disk.2.role", "log", ""});
  facts.push_back({"disk.2.model", "KINGSTON", ""});
  CHECK(fits(facts, "log_device_model", "*SSDPEK1A*") == false);
  facts.back() = {"disk.2.model", {}, "the disk names no model"};
  CHECK(fits(facts, "log_device_model", "*SSDPEK1A*") == std::nullopt);
  facts[7].value = "data";
  facts.resize(9);
  CHECK(fits(facts, "log_device_model", "*") == false);
  CHECK(fits({}, "log_device_model", "*") == std::nullopt);
}

TEST_CASE("An expectation applies when all of only_if holds", "[sdk][expectation]") {
  const Facts facts = of_disks();
  const FactPattern yes{"filesystem", "zfs"};
  const FactPattern no{"filesystem", "ext4"};
  const FactPattern unknown{"cpu.governor", "performance"};
  Expectation expectation;
  CHECK(applies(expectation, facts) == true);
  CHECK(untold(expectation, facts) == nullptr);
  expectation.only_if = {yes, unknown};
  CHECK(applies(expectation, facts) == std::nullopt);
  CHECK(untold(expectation, facts) == &expectation.only_if[1]);
  expectation.only_if = {unknown, no};
  CHECK(applies(expectation, facts) == false);
  CHECK(untold(expectation, facts) == nullptr);
  expectation.only_if = {yes, no};
  CHECK(applies(expectation, facts) == false);
  expectation.only_if = {yes, yes};
  CHECK(applies(expectation, facts) == true);
}

}  // namespace
}  // namespace sthd
