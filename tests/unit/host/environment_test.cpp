#include "runner/host/environment.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "runner/host/environment_text.hpp"
#include "support/catch.hpp"

namespace host = sthd::host;

namespace {

/// `text` with each of `digits` written as 'x'.
std::string shape(std::string text, std::string_view digits) {
  std::ranges::replace_if(
      text, [&](char c) { return digits.find(c) != std::string_view::npos; }, 'x');
  return text;
}

}  // namespace

TEST_CASE("The distribution is the pretty name, without its quotes", "[host][environment]") {
  CHECK(host::distribution_name(
            "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n") ==
        "Debian GNU/Linux 12 (bookworm)");
  CHECK(host::distribution_name("PRETTY_NAME='A \\\"b\\\" c'") == "A \"b\" c");
  CHECK(host::distribution_name("PRETTY_NAME=Alpine") == "Alpine");
  CHECK(host::distribution_name("X_PRETTY_NAME=no\nPRETTY_NAME=\"\n") == "\"");
  CHECK(host::distribution_name("").empty());
}

TEST_CASE("The CPU's model is found in the words of each architecture", "[host][environment]") {
  CHECK(host::cpu_model("processor\t: 0\nmodel\t\t: 85\nmodel name\t: Xeon(R) @ 2.00GHz\n") ==
        "Xeon(R) @ 2.00GHz");
  CHECK(host::cpu_model("processor\t: 0\nBogoMIPS : 1\n\nModel\t\t: Raspberry Pi 4\n") ==
        "Raspberry Pi 4");
  CHECK(host::cpu_model("processor : 0\ncpu\t\t: POWER9, altivec supported\n") ==
        "POWER9, altivec supported");
  CHECK(host::cpu_model("processor : 0\nmodel name :\n").empty());
}

TEST_CASE("Memory is counted in bytes, or not at all", "[host][environment]") {
  CHECK(host::memory_bytes("MemTotal:       16384 kB\nMemFree: 1 kB\n") == 16384ULL * 1024);
  CHECK(host::memory_bytes("MemTotal: many kB\n") == std::nullopt);
  CHECK(host::memory_bytes("MemTotal: 16384\n") == std::nullopt);
  CHECK(host::memory_bytes("MemFree: 1 kB\n") == std::nullopt);
}

TEST_CASE("The environment is this machine's", "[host][environment]") {
  const auto facts = host::environment();
  utsname name{};
  REQUIRE(::uname(&name) == 0);
  CHECK(facts.kernel == name.release);
  CHECK(facts.hostname == name.nodename);
  REQUIRE(facts.cpus.has_value());
  CHECK(*facts.cpus > 0);
  REQUIRE(facts.memory_bytes.has_value());
  CHECK(*facts.memory_bytes > sthd::kMiB);
}

TEST_CASE("A run's id is a version 4 UUID and no two are equal", "[host][environment]") {
  const std::string first = host::new_run_id();
  CHECK(shape(first, "0123456789abcdef") == "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
  CHECK(first[14] == '4');
  CHECK(std::string("89ab").find(first[19]) != std::string::npos);
  CHECK(first != host::new_run_id());
}

TEST_CASE("The time is ISO 8601 in UTC", "[host][environment]") {
  const std::string now = host::utc_now();
  CHECK(shape(now, "0123456789") == "xxxx-xx-xxTxx:xx:xxZ");
  CHECK(now > "2024");
}
