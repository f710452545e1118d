#include "runner/run/counting.hpp"

#include <string>
#include <vector>

#include "../host/tree.hpp"
#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::run;
using sthd::test::Tree;

namespace {

void set_writes(Tree& tree, int ios) {
  tree.put("/sys/class/block/vda/stat", "0 0 0 0 " + std::to_string(ios) + " 0 0 0 0 0 0\n");
}

}  // namespace

TEST_CASE("A loop counts from the start of its window to its close", "[run][counting]") {
  Tree tree;
  tree.disk("vda", "254:0");
  const host::Counters counters(tree.root(), Target{}, {"vda"});
  Counting counting(counters, true);
  set_writes(tree, 1);
  counting.phase(Phase::ramp, 0);
  set_writes(tree, 10);
  counting.phase(Phase::measure, 0);
  set_writes(tree, 50);
  counting.phase(Phase::end_fsync, 0);
  set_writes(tree, 60);
  counting.phase(Phase::close, 0);
  set_writes(tree, 1000);
  counting.phase(Phase::close, 0);  // a second time says nothing new
  const Facts facts = counting.facts();
  CHECK(fact_number(facts, "disk.0.write_ios") == 50.0);
  CHECK(facts.back().name == "wall.stopped_ns");
}

TEST_CASE("A backend that never closes is counted when it returns", "[run][counting]") {
  Tree tree;
  tree.disk("vda", "254:0");
  const host::Counters counters(tree.root(), Target{}, {"vda"});
  set_writes(tree, 10);
  Counting counting(counters, false);
  counting.phase(Phase::measure, 0);
  set_writes(tree, 12);
  const Facts facts = counting.facts();
  CHECK(fact_number(facts, "disk.0.write_ios") == 2.0);
  CHECK(facts.back().unknown_because ==
        "another program does the I/O, and nobody watches its clock");
}

TEST_CASE("A backend that tells no window has no counters", "[run][counting]") {
  const host::Counters counters("/nonexistent", Target{}, {});
  Counting counting(counters, true);
  counting.phase(Phase::prepare, 0);
  counting.tick(0);
  counting.phase(Phase::close, 0);
  CHECK(counting.facts().empty());
}

TEST_CASE("A silence is stopped time beyond the 100 ms that may pass", "[run][counting]") {
  const host::Counters counters("/nonexistent", Target{}, {});
  const auto stopped = [&](const std::vector<std::uint64_t>& ticks_ms, std::uint64_t end_ms) {
    Counting counting(counters, true);
    counting.tick(kSecond);  // before the window nothing counts
    counting.phase(Phase::measure, 100 * kSecond);
    for (const auto ms : ticks_ms) counting.tick(100 * kSecond + ms * kMillisecond);
    counting.phase(Phase::end_fsync, 100 * kSecond + end_ms * kMillisecond);
    counting.tick(200 * kSecond);
    counting.phase(Phase::close, 300 * kSecond);
    return fact_number(counting.facts(), "wall.stopped_ns");
  };
  CHECK(stopped({20, 40, 140}, 160) == 0.0);
  CHECK(stopped({20, 40, 1540, 1560}, 1600) == 1.4e9);
  CHECK(stopped({20}, 320) == 0.2e9);
  CHECK(stopped({}, 50) == 0.0);
}
