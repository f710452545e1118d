#include "runner/host/pulse.hpp"

#include <fmt/format.h>

#include <string>

#include "sthd/units.hpp"
#include "support/catch.hpp"
#include "tree.hpp"

using namespace sthd;
using namespace sthd::host;
using sthd::test::Tree;

namespace {

constexpr std::uint64_t kTick = 100 * kMillisecond;

/// A stat line: so many I/Os of each kind have ended, so many are in flight.
std::string stat(int reads, int writes, int discards, int flushes, int in_flight) {
  return fmt::format("{} 0 8 1 {} 0 8 1 {} 5 5 {} 0 0 0 {} 2\n", reads, writes, in_flight, discards,
                     flushes);
}

struct Step {
  std::string stat;
  std::uint64_t at_ns;
};

Facts after(const std::vector<Step>& steps) {
  Tree tree;
  tree.disk("vda", "254:0", "");
  Pulse pulse(tree.root(), {"vda"});
  for (const Step& step : steps) {
    tree.put("/sys/devices/pci0/block/vda/stat", step.stat);
    pulse.tick(step.at_ns);
  }
  return pulse.facts();
}

}  // namespace

TEST_CASE("A stall is the longest span with I/O in flight in which none ended", "[host][pulse]") {
  const Facts facts = after({{stat(1, 1, 0, 0, 0), kTick},
                             {stat(1, 1, 0, 0, 3), 2 * kTick},
                             {stat(1, 1, 0, 0, 1), 3 * kTick},
                             {stat(1, 1, 0, 0, 7), 5 * kTick},
                             {stat(2, 1, 0, 0, 1), 6 * kTick},
                             {stat(2, 1, 0, 0, 1), 7 * kTick},
                             {stat(2, 1, 0, 0, 0), 9 * kTick}});
  CHECK(fact_number(facts, "disk.0.longest_stall_ns") == 3.0 * kTick);
  CHECK(fact_number(facts, "disk.0.in_flight_max") == 7.0);
}

TEST_CASE("A read, a write, a discard or a flush that ends, or an idle disk, is no stall",
          "[host][pulse]") {
  const Facts facts = after({{stat(1, 1, 1, 1, 1), kTick},
                             {stat(2, 1, 1, 1, 1), 2 * kTick},
                             {stat(2, 2, 1, 1, 1), 3 * kTick},
                             {stat(2, 2, 2, 1, 1), 4 * kTick},
                             {stat(2, 2, 2, 2, 1), 5 * kTick},
                             {stat(2, 2, 2, 2, 0), 6 * kTick},
                             {stat(2, 2, 2, 2, 0), 9 * kTick}});
  CHECK(fact_number(facts, "disk.0.longest_stall_ns") == 0.0);
}

TEST_CASE("A disk that cannot be read has no pulse", "[host][pulse]") {
  Tree tree;
  Pulse pulse(tree.root(), {"gone"});
  pulse.tick(kTick);
  const Facts facts = pulse.facts();
  REQUIRE(facts.size() == 2);
  for (const Fact& fact : facts) {
    CHECK(std::holds_alternative<std::monostate>(fact.value));
    CHECK(fact.unknown_because == "the disk's stat file in sysfs cannot be read");
  }
}

TEST_CASE("An empty stat file is passed over", "[host][pulse]") {
  const Facts facts =
      after({{stat(1, 1, 0, 0, 1), kTick}, {"", 2 * kTick}, {stat(1, 1, 0, 0, 1), 3 * kTick}});
  CHECK(fact_number(facts, "disk.0.longest_stall_ns") == 2.0 * kTick);
}
