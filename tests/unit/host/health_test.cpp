#include "runner/host/health.hpp"

#include <string>

#include "support/catch.hpp"
#include "tree.hpp"

using namespace sthd;
using namespace sthd::host;
using sthd::test::Tree;

namespace {

void put(NvmeHealthPage& page, std::size_t offset, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    page.at(offset + i) = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

NvmeHealthPage page_of(unsigned kelvin, unsigned wear, unsigned count, unsigned seconds) {
  NvmeHealthPage page{};
  page[0] = 0xff;  // a critical warning, and other fields that are not read
  page[3] = 0xff;
  page[4] = 0xff;
  put(page, 1, kelvin, 2);
  put(page, 5, wear, 1);
  put(page, 216, count, 4);
  put(page, 220, 1000, 4);
  put(page, 224, seconds, 4);
  put(page, 228, 70000, 4);
  return page;
}

void record(Tree& tree, const NvmeHealthPage& page) {
  tree.put("/commands/nvme-smart-nvme0n1", std::string(page.begin(), page.end()));
}

std::string why_unknown(const Facts& facts, std::string_view name) {
  const Fact* fact = find_fact(facts, name);
  return fact == nullptr ? "no such fact" : fact->unknown_because;
}

}  // namespace

TEST_CASE("A health page is read where the specification has its fields", "[host][health]") {
  const NvmeHealth health = parse_health(page_of(300, 101, 0x01020304, 5));
  CHECK(health.temperature_c == 27);
  CHECK(health.wear_percent == 101);
  CHECK(health.throttle_count == 0x01020304 + 1000);
  CHECK(health.throttle_s == 70005);
}

TEST_CASE("An NVMe disk tells what changed over the window", "[host][health]") {
  Tree tree;
  record(tree, page_of(310, 3, 7, 10));
  Health health(tree.root(), {"nvme0n1"});
  health.begin();
  record(tree, page_of(351, 3, 9, 70));
  const Facts facts = health.end();
  CHECK(fact_number(facts, "disk.0.temperature_begin_c") == 37.0);
  CHECK(fact_number(facts, "disk.0.temperature_c") == 78.0);
  CHECK(fact_number(facts, "disk.0.wear_percent") == 3.0);
  CHECK(fact_number(facts, "disk.0.throttle_count") == 2.0);
  CHECK(fact_number(facts, "disk.0.throttle_s") == 60.0);
  CHECK(health.end().empty());
}

TEST_CASE("A health page that goes back or away is told", "[host][health]") {
  Tree tree;
  record(tree, page_of(310, 3, 7, 10));
  Health health(tree.root(), {"nvme0n1"});
  health.begin();
  record(tree, page_of(310, 3, 6, 10));
  CHECK(why_unknown(health.end(), "disk.0.throttle_count") == "the counter went backwards");
  health.begin();
  tree.put("/commands/nvme-smart-nvme0n1", "");
  const Facts facts = health.end();
  CHECK(fact_number(facts, "disk.0.temperature_begin_c") == 37.0);
  CHECK(why_unknown(facts, "disk.0.temperature_c") == "the kernel shows no sensor of this disk");
  for (const char* name : {"disk.0.wear_percent", "disk.0.throttle_count", "disk.0.throttle_s"}) {
    CHECK(why_unknown(facts, name) == "no such page was recorded");
  }
}

TEST_CASE("Other disks tell their temperature where the kernel shows a sensor", "[host][health]") {
  Tree tree;
  tree.disk("sda", "8:0").put("/sys/class/block/sda/device/hwmon/hwmon2/temp1_input", "38000\n");
  tree.disk("sdb", "8:16");
  Health health(tree.root(), {"sda", "sdb"});
  health.begin();
  tree.put("/sys/class/block/sda/device/hwmon/hwmon2/temp1_input", "41500\n");
  const Facts facts = health.end();
  REQUIRE(facts.size() == 4);
  CHECK(fact_number(facts, "disk.0.temperature_begin_c") == 38.0);
  CHECK(fact_number(facts, "disk.0.temperature_c") == 41.5);
  CHECK(why_unknown(facts, "disk.1.temperature_c") == "the kernel shows no sensor of this disk");
}

TEST_CASE("At most eight disks are asked", "[host][health]") {
  Tree tree;
  Health health(tree.root(), std::vector<std::string>(20, "sda"));
  health.begin();
  CHECK(health.end().size() == 8 * 2);
}
