#include <fmt/format.h>

#include <cstdlib>

#include "runner/host/plugin_library.hpp"
#include "sandbox.hpp"
#include "support/catch.hpp"

namespace fs = std::filesystem;
using sthd::test::formatter_names;
using sthd::test::Sandbox;
using strings = std::vector<std::string>;

namespace {

const std::string kAgain = ": build it again with this version's SDK";

std::string judged(const sthd::PluginDescriptor& descriptor) {
  const sthd::host::PluginMarker marker{sthd::PluginKind::formatter, "good"};
  const auto result = sthd::host::judge_descriptor(descriptor, marker);
  return result ? "good" : result.error().message;
}

}  // namespace

TEST_CASE("Gate 2: each fake with a wrong descriptor is refused in its own words",
          "[plugin][gate2]") {
  const auto [fake, clause] = GENERATE_COPY(table<std::string, std::string>({
      {"no-descriptor",
       "it does not export the symbol \"sthd_plugin\", and a plugin must: add STHD_BACKEND_PLUGIN "
       "or STHD_FORMATTER_PLUGIN to its source"},
      {"no-address",
       "its symbol \"sthd_plugin\" points outside the library, and it must point to the "
       "descriptor" +
           kAgain},
      {"bad-magic",
       "its descriptor begins with 0x1122334455667788, and a plugin's with 0x3164687473647473" +
           kAgain},
      {"other-minor",
       "its descriptor says plugin interface 1.7, and this program has 1.0" + kAgain},
      {"wrong-size", "its descriptor has 64 bytes, and this program's 72" + kAgain},
      {"other-name", "its descriptor says name \"good\", and its marker \"other-name\"" + kAgain},
      {"undefined-symbol",
       "it cannot be loaded (DIR/undefined-symbol.so: undefined symbol: "
       "sthd_test_function_that_nobody_defines), and it must: install what it needs or build it "
       "again"},
  }));
  const Sandbox sandbox;
  sandbox.add(fake);
  const auto host = sandbox.load();
  CHECK(sandbox.refusals(host) == strings{"2: DIR/" + fake + ".so: " + clause});
  CHECK(host.formatters().empty());
}

TEST_CASE("Gate 2: every field of the descriptor is compared", "[plugin][gate2]") {
  const auto create = [](char*, std::size_t) noexcept -> void* { return nullptr; };
  const auto destroy = [](void*) noexcept {};
  sthd::PluginDescriptor descriptor{.kind = sthd::PluginKind::formatter,
                                    .name = "good",
                                    .version = "1",
                                    .summary = "",
                                    .create = create,
                                    .destroy = destroy};
  REQUIRE(judged(descriptor) == "good");
  SECTION("abi major") {
    descriptor.abi_major = 2;
    CHECK(judged(descriptor) ==
          "its descriptor says plugin interface 2.0, and this program has 1.0" + kAgain);
  }
  SECTION("kind") {
    descriptor.kind = sthd::PluginKind::backend;
    CHECK(judged(descriptor) ==
          "its descriptor says kind 1, and its marker 2 (formatter)" + kAgain);
  }
  SECTION("family") {
    descriptor.family = "libc++";
    CHECK(judged(descriptor) ==
          "its descriptor says family \"libc++\", and its marker \"" STHD_ABI_FAMILY "\"" + kAgain);
  }
  SECTION("texts") {
    descriptor.summary = nullptr;
    CHECK(judged(descriptor) ==
          "its descriptor lacks its family, name, version or summary, and all are required" +
              kAgain);
  }
  SECTION("functions") {
    descriptor.destroy = nullptr;
    CHECK(judged(descriptor) ==
          "its descriptor lacks create or destroy, and both are required" + kAgain);
  }
}

TEST_CASE("Gate 2: a file that was exchanged after gate 0 is not loaded", "[plugin][gate2]") {
  const Sandbox sandbox;
  const auto path = sandbox.add("good");
  const auto file = sthd::host::judge_file(path);
  REQUIRE(file.ok());
  fs::remove(path);
  sandbox.add("good");
  const auto loaded = sthd::host::load_descriptor(*file, {sthd::PluginKind::formatter, "good"});
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().message ==
        "it changed while it was being checked, and it must not: start again");
  CHECK(sandbox.traces().empty());
}

TEST_CASE("Gate 3: a plugin that cannot start is refused with its own words", "[plugin][gate3]") {
  const auto [fake, clause] = GENERATE(table<std::string, std::string>({
      {"throws-in-create",
       "it could not start (the fake cannot start), and a plugin must to be used: see its own "
       "documentation"},
      {"throws-in-info",
       "it does not say what it offers (the plugin threw: the fake offers nothing), and a plugin "
       "must: see its own documentation"},
  }));
  const Sandbox sandbox;
  sandbox.add(fake);
  const auto host = sandbox.load();
  CHECK(sandbox.refusals(host) == strings{"3: DIR/" + fake + ".so: " + clause});
  CHECK(host.formatters().empty());
}

TEST_CASE("A good plugin loads, stripped or not, and does its work", "[plugin]") {
  const std::string name = GENERATE("good", "good-stripped");
  const Sandbox sandbox;
  const auto path = sandbox.add(name);
  const auto host = sandbox.load();
  REQUIRE(host.refusals().empty());
  const auto* entry = host.formatter(name);
  REQUIRE(entry != nullptr);
  CHECK(entry->version == "1.2.3");
  CHECK(entry->summary == "A fake");
  CHECK(entry->file == path);
  CHECK_FALSE(entry->bundled);
  CHECK(entry->info.extensions == strings{name});
  CHECK(entry->formatter->render({sthd::Report{}, ""}).value() == name + "\n");
  CHECK(sandbox.traces() == strings{name});
  CHECK(host.formatter("goo") == nullptr);
  CHECK(host.backend(name) == nullptr);
}

TEST_CASE("A backend made with the SDK's macro loads", "[plugin]") {
  const Sandbox sandbox;
  sandbox.add("good-backend");
  const auto host = sandbox.load();
  REQUIRE(host.refusals().empty());
  REQUIRE(host.backend("good-backend") != nullptr);
  CHECK(host.backend("good-backend")->info.engines == strings{"fake"});
}

TEST_CASE(
    "A bad plugin never stops the others, and none refused by gates 0 and 1 runs its "
    "constructor",
    "[plugin]") {
  const Sandbox sandbox;
  strings all;
  for (const auto& entry : fs::directory_iterator(STHD_FAKE_DIR)) {
    all.push_back(entry.path().filename().string());
    sandbox.add(all.back());
  }
  REQUIRE(all.size() == 19);
  fs::permissions(sandbox.add("good", "0-writable.so"), fs::perms(0777));
  sandbox.add("good", "z-duplicate.so");
  fs::create_directory(sandbox.file("0-directory.so"));
  fs::create_symlink("good.so", sandbox.file("0-link.so"));
  sthd::test::write_file(sandbox.file("0-empty.so"), "");
  sthd::test::write_file(sandbox.file("README"), "no plugin, and no refusal");

  const auto host = sandbox.load();
  CHECK(formatter_names(host) == strings{"good-stripped", "good"});
  CHECK(host.backends().size() == 1);
  std::array<int, 4> by_gate{};
  for (const auto& refusal : host.refusals()) ++by_gate.at(static_cast<std::size_t>(refusal.gate));
  CHECK(by_gate == std::array<int, 4>{3, 9, 7, 2});
  CHECK(sandbox.traces() == strings{"bad-magic", "good", "good-stripped", "no-address",
                                    "no-descriptor", "other-minor", "other-name",
                                    "throws-in-create", "throws-in-info", "wrong-size"});
}

TEST_CASE("A host that is moved keeps its plugins, and destroys them once", "[plugin]") {
  const Sandbox sandbox;
  sandbox.add("good");
  auto first = sandbox.load();
  const auto* formatter = first.formatter("good")->formatter;
  sthd::host::PluginHost second = std::move(first);
  REQUIRE(second.formatter("good") != nullptr);
  CHECK(second.formatter("good")->formatter == formatter);
}
