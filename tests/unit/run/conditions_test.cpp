#include "runner/run/conditions.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "../host/tree.hpp"
#include "runner/run/small_file.hpp"
#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::run;
using sthd::test::Tree;

namespace {

using strings = std::vector<std::string>;

const std::string kPolicies = "/sys/devices/system/cpu/cpufreq/";

/// A machine with governors, where also an unprivileged user can note what they were.
struct Machine {
  Tree tree;
  Machine() {
    tree.put("/run/x", "");
    ::setenv("XDG_RUNTIME_DIR", (tree.root() + "/run").c_str(), 1);
  }
  [[nodiscard]] std::string note() const { return tree.root() + "/run/speedtest-hd/governors"; }
  Machine& policy(const std::string& name, const std::string& governor) {
    tree.put(kPolicies + name + "/scaling_governor", governor + "\n");
    tree.put(kPolicies + name + "/scaling_setspeed", "<unsupported>\n");
    return *this;
  }
  [[nodiscard]] std::string read(const std::string& file) const {
    return read_small(tree.root() + kPolicies + file).value_or("(none)");
  }
  [[nodiscard]] strings governors() const {
    return {read("policy0/scaling_governor"), read("policy4/scaling_governor")};
  }
};

std::string fault(const Outcome<Done>& done) { return done ? "(fine)" : done.error().message; }

std::string check(const Machine& machine) {
  return fault(check_condition(Condition::governor_performance, machine.tree.root()));
}

/// A child that has done `what` when this returns, and then waits to be killed.
template <class F>
pid_t child_that(F what) {
  std::array<int, 2> ready{-1, -1};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const bool good = what();
    if (::write(ready[1], good ? "y" : "n", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char answer = 0;
  CHECK(::read(ready[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  for (const int fd : ready) ::close(fd);
  return pid;
}

void kill_child(pid_t pid) {
  ::kill(pid, SIGKILL);
  CHECK(::waitpid(pid, nullptr, 0) == pid);
}

}  // namespace

TEST_CASE("As it is, nothing is asked of the machine", "[run][conditions]") {
  CHECK(check_condition(Condition::as_is, "/nonexistent").ok());
  HeldCondition held;
  CHECK(held.take(Condition::as_is, "/nonexistent").ok());
}

TEST_CASE("Governors are set while they are held, and written back", "[run][conditions]") {
  Machine machine;
  machine.policy("policy4", "schedutil").policy("policy0", "powersave").policy("policy10", "x");
  machine.tree.put(kPolicies + "boost", "1\n");
  CHECK(check(machine) == "(fine)");
  CHECK(machine.governors() == strings{"powersave", "schedutil"});
  CHECK_FALSE(read_small(machine.note()).has_value());
  {
    HeldCondition held;
    REQUIRE(held.take(Condition::governor_performance, machine.tree.root() + "/").ok());
    CHECK(machine.governors() == strings{"performance", "performance"});
    CHECK(read_small(machine.note()) ==
          "policy0 scaling_governor powersave\npolicy4 scaling_governor schedutil\n"
          "policy10 scaling_governor x");
    held.release();
    CHECK(machine.governors() == strings{"powersave", "schedutil"});
    CHECK_FALSE(read_small(machine.note()).has_value());
    REQUIRE(held.take(Condition::governor_performance, machine.tree.root()).ok());
    CHECK(machine.governors() == strings{"performance", "performance"});
  }
  CHECK(machine.governors() == strings{"powersave", "schedutil"});
  CHECK_FALSE(read_small(machine.note()).has_value());
}

TEST_CASE("What a driver changes along with the governor is written back, too",
          "[run][conditions]") {
  Machine machine;
  machine.policy("policy0", "userspace");
  machine.tree.put(kPolicies + "policy0/energy_performance_preference", "balance_power\n");
  machine.tree.put(kPolicies + "policy0/scaling_setspeed", "1200000\n");
  HeldCondition held;
  REQUIRE(held.take(Condition::governor_performance, machine.tree.root()).ok());
  machine.tree.put(kPolicies + "policy0/energy_performance_preference", "performance\n");
  machine.tree.put(kPolicies + "policy0/scaling_setspeed", "3400000\n");
  held.release();
  CHECK(machine.read("policy0/scaling_governor") == "userspace");
  CHECK(machine.read("policy0/energy_performance_preference") == "balance_power");
  CHECK(machine.read("policy0/scaling_setspeed") == "1200000");
}

TEST_CASE("Governors that cannot be had are refused with the file and what to do",
          "[run][conditions]") {
  Machine machine;
  CHECK(check(machine) ==
        "this machine has no CPU frequency control (no policy in /sys/devices/system/cpu/cpufreq); "
        "leave this condition out");
  machine.policy("policy0", "powersave");
  machine.tree.put(kPolicies + "policy0/scaling_available_governors", "powersave schedutil \n");
  CHECK(check(machine) ==
        "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor cannot be set to performance: "
        "there are only powersave schedutil; load the module cpufreq_performance");
  machine.tree.put(kPolicies + "policy0/scaling_available_governors", "performance powersave\n");
  CHECK(check(machine) == "(fine)");
  machine.tree.put(kPolicies + "policy4/x", "");
  CHECK(check(machine) ==
        "cannot write /sys/devices/system/cpu/cpufreq/policy4/scaling_governor: No such file or "
        "directory (ENOENT); run as root");
}

TEST_CASE("When one governor cannot be set the others are as they were", "[run][conditions]") {
  Machine machine;
  machine.policy("policy0", "powersave");
  machine.tree.link(kPolicies + "policy4/scaling_governor", "/dev/full");
  HeldCondition held;
  CHECK(fault(held.take(Condition::governor_performance, machine.tree.root())) ==
        "cannot write /sys/devices/system/cpu/cpufreq/policy4/scaling_governor: No space left on "
        "device (ENOSPC); run as root");
  CHECK(machine.read("policy0/scaling_governor") == "powersave");
  CHECK_FALSE(read_small(machine.note()).has_value());
}

TEST_CASE("Two runs do not hold the governors at once", "[run][conditions]") {
  Machine machine;
  machine.policy("policy0", "powersave").policy("policy4", "powersave");
  HeldCondition first;
  HeldCondition second;
  REQUIRE(first.take(Condition::governor_performance, machine.tree.root()).ok());
  CHECK(fault(second.take(Condition::governor_performance, machine.tree.root())) ==
        "another run holds the governors at performance; wait for it to end");
  second.release();
  CHECK(machine.governors() == strings{"performance", "performance"});
  CHECK(restore_left_governors(machine.tree.root()).empty());
  CHECK(machine.governors() == strings{"performance", "performance"});
  first.release();
  CHECK(machine.governors() == strings{"powersave", "powersave"});
  CHECK(second.take(Condition::governor_performance, machine.tree.root()).ok());
}

TEST_CASE("Governors that a killed run has left are restored by the next", "[run][conditions]") {
  Machine machine;
  machine.policy("policy0", "powersave").policy("policy4", "schedutil");
  HeldCondition held;
  const pid_t pid = child_that(
      [&] { return held.take(Condition::governor_performance, machine.tree.root()).ok(); });
  CHECK(machine.governors() == strings{"performance", "performance"});
  CHECK(restore_left_governors(machine.tree.root()).empty());
  kill_child(pid);
  CHECK(machine.governors() == strings{"performance", "performance"});

  SECTION("which says so") {
    CHECK(restore_left_governors(machine.tree.root()) ==
          strings{"restored the governor of policy0 to powersave, which a run that was killed had "
                  "left at performance",
                  "restored the governor of policy4 to schedutil, which a run that was killed had "
                  "left at performance"});
    CHECK(restore_left_governors(machine.tree.root()).empty());
  }
  SECTION("before it sets them itself") {
    REQUIRE(held.take(Condition::governor_performance, machine.tree.root()).ok());
    held.release();
  }
  CHECK(machine.governors() == strings{"powersave", "schedutil"});
  CHECK_FALSE(read_small(machine.note()).has_value());
}

TEST_CASE("A note can only name governors", "[run][conditions]") {
  Machine machine;
  machine.policy("policy0", "performance").policy("policy4", "performance");
  machine.tree.put(kPolicies + "policy0/scaling_max_freq", "9\n").put("/etc/x", "mine\n");
  machine.tree.put("/run/speedtest-hd/governors",
                   "policy0/../../../../../../etc x 1\npolicy0 scaling_max_freq 1\n"
                   "policy0 scaling_governor a/b\npolicy0 scaling_governor a b\nnonsense\n"
                   "policy4 scaling_governor powersave\n");
  std::filesystem::permissions(machine.tree.root() + "/run/speedtest-hd",
                               std::filesystem::perms::owner_all);
  CHECK(restore_left_governors(machine.tree.root()).size() == 1);
  CHECK(machine.governors() == strings{"performance", "powersave"});
  CHECK(machine.read("policy0/scaling_max_freq") == "9");
  CHECK(read_small(machine.tree.root() + "/etc/x") == "mine");
}

TEST_CASE("A note in a folder that others can write is not believed", "[run][conditions]") {
  Machine machine;
  machine.policy("policy0", "performance");
  machine.tree.put("/run/speedtest-hd/governors", "policy0 scaling_governor powersave\n");
  std::filesystem::permissions(machine.tree.root() + "/run/speedtest-hd",
                               std::filesystem::perms::all);
  CHECK(restore_left_governors(machine.tree.root()).empty());
  CHECK(machine.read("policy0/scaling_governor") == "performance");
  HeldCondition held;
  CHECK(fault(held.take(Condition::governor_performance, machine.tree.root()))
            .find("it is no folder that only this user can write; remove it") != std::string::npos);
}

TEST_CASE("The wake-up latency is asked to be zero for as long as it is held",
          "[run][conditions]") {
  Machine machine;
  CHECK(fault(check_condition(Condition::cores_awake, machine.tree.root())) ==
        "cannot open /dev/cpu_dma_latency for writing: No such file or directory (ENOENT); this "
        "kernel or container does not have it: leave this condition out");
  machine.tree.put("/dev/cpu_dma_latency", "");
  const std::string file = machine.tree.root() + "/dev/cpu_dma_latency";
  const auto holders = [&file] {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (std::filesystem::read_symlink(entry.path(), gone) == file) ++count;
    }
    return count;
  };
  CHECK(check_condition(Condition::cores_awake, machine.tree.root()).ok());
  CHECK(read_small(file) == "");
  HeldCondition held;
  REQUIRE(held.take(Condition::cores_awake, machine.tree.root()).ok());
  CHECK(read_small(file) == std::string(4, '\0'));
  CHECK(holders() == 1);
  REQUIRE(held.take(Condition::cores_awake, machine.tree.root()).ok());
  CHECK(holders() == 1);
  held.release();
  CHECK(holders() == 0);
}

TEST_CASE("What a child has inherited of a condition it can let go of", "[run][conditions]") {
  Machine machine;
  machine.policy("policy0", "powersave").policy("policy4", "powersave");
  HeldCondition held;
  REQUIRE(held.take(Condition::governor_performance, machine.tree.root()).ok());
  const pid_t pid = child_that([&] {
    held.forget();
    return machine.governors() == strings{"performance", "performance"};
  });
  held.release();  // its note would still be locked, had the child kept it
  HeldCondition next;
  CHECK(next.take(Condition::governor_performance, machine.tree.root()).ok());
  kill_child(pid);
}
