#include "runner/run/sampler.hpp"

#include <string>

#include "../host/tree.hpp"
#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::run;
using sthd::test::Tree;

namespace {

const std::string kCpus = "/sys/devices/system/cpu/";

std::string why_unknown(const Facts& facts, std::string_view name) {
  const Fact* fact = find_fact(facts, name);
  return fact == nullptr ? "no such fact" : fact->unknown_because;
}

void set_mhz(Tree& tree, int cpu, int mhz) {
  tree.put(kCpus + "cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq",
           std::to_string(mhz * 1000) + "\n");
}

void set_idle_us(Tree& tree, int cpu, int state, int us) {
  tree.put(kCpus + "cpu" + std::to_string(cpu) + "/cpuidle/state" + std::to_string(state) + "/time",
           std::to_string(us) + "\n");
}

}  // namespace

TEST_CASE("Frequencies are read ten times a second while a window is open", "[run][sampler]") {
  Tree tree;
  set_mhz(tree, 0, 1200);
  set_mhz(tree, 1, 3200);
  tree.put(kCpus + "cpufreq/policy0/scaling_cur_freq", "9\n").put(kCpus + "cpuidle/x", "");
  Sampler sampler(tree.root());
  sampler.tick(kSecond);  // no window yet
  CHECK(sampler.end(kSecond).empty());
  sampler.begin(kSecond);
  sampler.tick(kSecond + 100 * kMillisecond);
  set_mhz(tree, 1, 1000);
  sampler.tick(kSecond + 150 * kMillisecond);  // too early
  set_mhz(tree, 1, 2000);
  sampler.tick(kSecond + 200 * kMillisecond);
  const Facts facts = sampler.end(kSecond + 250 * kMillisecond);
  CHECK(fact_number(facts, "cpu.mhz_min") == 1200.0);
  CHECK(fact_number(facts, "cpu.mhz_max") == 3200.0);
  CHECK(fact_number(facts, "cpu.mhz_mean") == (1200 + 3200 + 1200 + 2000) / 4.0);
  CHECK(sampler.end(kSecond).empty());
}

TEST_CASE("A window shorter than a tick is sampled once, and windows do not mix",
          "[run][sampler]") {
  Tree tree;
  set_mhz(tree, 0, 800);
  Sampler sampler(tree.root());
  sampler.begin(0);
  CHECK(fact_number(sampler.end(kMillisecond), "cpu.mhz_mean") == 800.0);
  set_mhz(tree, 0, 3000);
  sampler.begin(kSecond);
  CHECK(fact_number(sampler.end(2 * kSecond), "cpu.mhz_min") == 3000.0);
}

TEST_CASE("The deepest enabled state's share is of all CPUs' time", "[run][sampler]") {
  Tree tree;
  for (const int cpu : {0, 1}) {
    for (const int state : {0, 1, 2, 10}) set_idle_us(tree, cpu, state, 5'000'000);
    tree.put(kCpus + "cpu" + std::to_string(cpu) + "/cpuidle/state10/disable", "1\n");
  }
  Sampler sampler(tree.root());
  sampler.begin(0);
  set_idle_us(tree, 0, 2, 5'750'000);
  set_idle_us(tree, 1, 2, 5'250'000);
  set_idle_us(tree, 1, 10, 9'000'000);
  CHECK(fact_number(sampler.end(kSecond), "cpu.idle_deep_share_percent") == 50.0);
  sampler.begin(0);
  set_idle_us(tree, 0, 2, 99'000'000);  // slept since long before
  CHECK(fact_number(sampler.end(kSecond), "cpu.idle_deep_share_percent") == 100.0);
}

TEST_CASE("Without drivers the reason stands in place of the figures", "[run][sampler]") {
  Tree tree;
  set_idle_us(tree, 0, 0, 5);  // polling is no sleep
  Sampler sampler(tree.root());
  sampler.begin(0);
  sampler.tick(kSecond);
  const Facts facts = sampler.end(kSecond);
  CHECK(why_unknown(facts, "cpu.mhz_mean") == "no cpufreq driver tells the CPUs' frequencies");
  CHECK(why_unknown(facts, "cpu.idle_deep_share_percent") ==
        "no cpuidle driver tells the CPUs' idle states");
}
