#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <functional>

#include "runner/host/plugin_marker.hpp"
#include "sandbox.hpp"
#include "support/catch.hpp"

namespace fs = std::filesystem;
using sthd::test::read_file;
using sthd::test::Sandbox;
using sthd::test::write_file;
using strings = std::vector<std::string>;

namespace {

const std::string kFamily = STHD_ABI_FAMILY;

std::string judged(const std::string& section) {
  const auto marker = sthd::host::parse_marker(section);
  if (!marker) return marker.error().message;
  return fmt::format("{} {}", sthd::host::kind_text(marker->kind), marker->name);
}

std::string malformed(const std::string& section) {
  return "its marker is \"" + section +
         "\", and the form is sthd<major>.<kind>.<name>.<minor>.<family>: build it with "
         "sthd_add_plugin";
}

std::string bad_name(const std::string& name) {
  return "it calls itself \"" + name +
         "\", and a name is 1 to 32 characters of a-z, 0-9 and \"-\": rename its folder and build "
         "it again";
}

/// The good fake's ELF header, changed, before its own bytes.
std::string with_header(const std::function<void(Elf64_Ehdr&)>& change) {
  std::string bytes = read_file(fs::path(STHD_FAKE_DIR) / "good" / "good.so");
  Elf64_Ehdr header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  change(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

/// The good fake with its table of section names described differently.
std::string with_names(const std::function<void(Elf64_Shdr&)>& change) {
  std::string bytes = with_header([](Elf64_Ehdr&) {});
  Elf64_Ehdr header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto at = header.e_shoff + std::uint64_t{header.e_shstrndx} * sizeof(Elf64_Shdr);
  Elf64_Shdr names{};
  std::memcpy(&names, bytes.data() + at, sizeof names);
  change(names);
  std::memcpy(bytes.data() + at, &names, sizeof names);
  return bytes;
}

}  // namespace

TEST_CASE("Gate 1: each fake with a wrong marker is refused in its own words and never run",
          "[plugin][gate1]") {
  const auto [fake, clause] = GENERATE_COPY(table<std::string, std::string>({
      {"no-marker",
       "it has no marker section \"sthd1.…\", and a plugin must have one: build it with "
       "sthd_add_plugin"},
      {"wrong-minor",
       "it was built for plugin interface 1.7, and this program has 1.0: build it again with this "
       "version's SDK"},
      {"wrong-major",
       "it was built for plugin interface 2, and this program has 1: build it again with this "
       "version's SDK"},
      {"wrong-family", "it was built as \"libc++\", and this program as \"" + kFamily +
                           "\": build both with the same standard library and sanitizers"},
      {"wrong-kind",
       "it is a \"decoder\", and this program loads backends and formatters: build it again with "
       "this version's SDK"},
      {"dotted-name", bad_name("../evil")},
      {"other-sanitizer", std::string("it was built as \"libstdc++-cxx11") +
                              (kFamily == "libstdc++-cxx11" ? ".asan" : "") +
                              "\", and this program as \"" + kFamily +
                              "\": build both with the same standard library and sanitizers"},
  }));
  const Sandbox sandbox;
  sandbox.add(fake);
  CHECK(sandbox.refusals(sandbox.load()) == strings{"1: DIR/" + fake + ".so: " + clause});
  CHECK(sandbox.traces().empty());
}

TEST_CASE("Gate 1: a marker's text is judged field by field", "[plugin][gate1]") {
  const auto [section, result] = GENERATE_COPY(table<std::string, std::string>({
      {"sthd1.formatter.ascii.0." + kFamily, "formatter ascii"},
      {"sthd1.backend.native-psync.0." + kFamily, "backend native-psync"},
      {"sthd1.backend.0.0." + kFamily, "backend 0"},
      {"sthd1.backend.a23456789-b23456789-c23456789-de.0." + kFamily,
       "backend a23456789-b23456789-c23456789-de"},
      {"sthd1.backend.a23456789-b23456789-c23456789-def.0." + kFamily,
       bad_name("a23456789-b23456789-c23456789-def")},
      {"sthd1.backend..0." + kFamily, bad_name("")},
      {"sthd1.backend....0." + kFamily, bad_name("..")},
      {"sthd1.backend.Upper.0." + kFamily, bad_name("Upper")},
      {"sthd1.backend.a/b.0." + kFamily, bad_name("a/b")},
      {"sthd1.backend.a_b.0." + kFamily, bad_name("a_b")},
      {"sthd1", malformed("sthd1")},
      {"sthd1.", malformed("sthd1.")},
      {"sthd1.formatter", malformed("sthd1.formatter")},
      {"sthd1.formatter.ascii", malformed("sthd1.formatter.ascii")},
      {"sthd1.formatter.ascii.0", malformed("sthd1.formatter.ascii.0")},
      {"sthd1.formatter.ascii.x.libc", malformed("sthd1.formatter.ascii.x.libc")},
      {"sthd99999999999.formatter.ascii.0.x", malformed("sthd99999999999.formatter.ascii.0.x")},
      {"sthd1.formatter.ascii.0.",
       "it was built as \"\", and this program as \"" + kFamily +
           "\": build both with the same standard library and sanitizers"},
  }));
  CAPTURE(section);
  CHECK(judged(section) == result);
}

TEST_CASE("Gate 1: a file that is no library for this machine is refused", "[plugin][gate1]") {
  const Sandbox sandbox;
  const auto refusal_of = [&](const std::string& bytes) {
    write_file(sandbox.file("x.so"), bytes);
    const auto refusals = sandbox.refusals(sandbox.load());
    REQUIRE(refusals.size() == 1);
    return refusals[0];
  };
  const std::string not_elf =
      "1: DIR/x.so: it does not begin with an ELF header, and a plugin is an ELF library: build or "
      "copy it again";
  CHECK(refusal_of("") == not_elf);
  CHECK(refusal_of("#!/bin/sh\nexit 0\n") == not_elf);
  CHECK(refusal_of("\x7f"
                   "ELF") == not_elf);
  CHECK(refusal_of(with_header([](auto& h) { h.e_type = ET_EXEC; })) ==
        "1: DIR/x.so: it is an ELF file of type 2, and a plugin is a shared library (type 3): "
        "build it with sthd_add_plugin");
  CHECK(refusal_of(with_header([](auto& h) {
          h.e_ident[EI_CLASS] = ELFCLASS32;
          h.e_machine = EM_386;
        }))
            .starts_with("1: DIR/x.so: it was built for another machine (ELF class 1, data 1, "
                         "machine 3; wanted 2, 1, "));
  CHECK(refusal_of(with_header([](auto& h) { h.e_shoff = 0; })) ==
        "1: DIR/x.so: it has no section table, and the marker section says what a plugin is: strip "
        "it with \"strip -s\" at most");
  CHECK(sandbox.traces().empty());
}

TEST_CASE("Gate 1: damaged ELF tables are refused before anything believes them",
          "[plugin][gate1]") {
  const std::string size =
      std::to_string(fs::file_size(fs::path(STHD_FAKE_DIR) / "good" / "good.so"));
  Elf64_Ehdr good{};
  with_header([&](auto& h) { good = h; });
  const Sandbox sandbox;
  const auto refusal_of = [&](const std::string& bytes) {
    write_file(sandbox.file("x.so"), bytes);
    const auto refusals = sandbox.refusals(sandbox.load());
    REQUIRE(refusals.size() == 1);
    return refusals[0];
  };
  const auto damaged = [](const std::string& what) {
    return "1: DIR/x.so: its " + what + ", so it is damaged: build or copy it again";
  };
  CHECK(refusal_of(with_header([](auto& h) { h.e_shentsize = 40; })) ==
        damaged("section table has entries of 40 bytes (wanted 64)"));
  CHECK(refusal_of(with_header([](auto& h) { h.e_shnum = 65535; })) ==
        damaged(fmt::format("section table has 65535 entries and its names in number {} (wanted at "
                            "most 4096, and names in one of them)",
                            good.e_shstrndx)));
  CHECK(refusal_of(with_header([](auto& h) { h.e_shstrndx = h.e_shnum; })) ==
        damaged(fmt::format("section table has {0} entries and its names in number {0} (wanted at "
                            "most 4096, and names in one of them)",
                            good.e_shnum)));
  CHECK(refusal_of(with_header([](auto& h) { h.e_shoff = ~std::uint64_t{0} - 7; })) ==
        damaged(fmt::format("section table (offset 18446744073709551608, {} entries) reaches past "
                            "the end of the file ({} bytes)",
                            good.e_shnum, size)));
  const std::string outside = damaged("table of section names does not lie within the file");
  CHECK(refusal_of(with_names([](auto& s) { s.sh_size = ~std::uint64_t{0}; })) == outside);
  CHECK(refusal_of(with_names([](auto& s) { s.sh_size = 0; })) == outside);
  CHECK(refusal_of(with_names([](auto& s) { s.sh_offset = ~std::uint64_t{0} - 3; })) == outside);
  CHECK(refusal_of(with_names([](auto& s) { s.sh_type = SHT_PROGBITS; })) == outside);
  CHECK(refusal_of(with_names([](auto& s) { s.sh_size -= 1; })) ==
        damaged("table of section names does not end"));
  CHECK(sandbox.traces().empty());
}

TEST_CASE("Gate 1: a library cut off anywhere never loads and never hangs", "[plugin][gate1]") {
  const std::string whole = read_file(fs::path(STHD_FAKE_DIR) / "good" / "good.so");
  const Sandbox sandbox;
  constexpr std::size_t kCuts = 64;
  for (std::size_t i = 0; i < kCuts; ++i) {
    write_file(sandbox.file("x.so"), whole.substr(0, whole.size() * i / kCuts));
    const auto host = sandbox.load();
    CAPTURE(i);
    REQUIRE(host.formatters().empty());
    REQUIRE(host.refusals().size() == 1);
    CHECK(host.refusals()[0].gate == 1);
  }
  CHECK(sandbox.traces().empty());
}

TEST_CASE("Gate 1: of two plugins with one name the bundled one wins, otherwise the first",
          "[plugin][gate1]") {
  const Sandbox first;
  const Sandbox second;
  first.add("good", "a.so");
  second.add("good", "b.so");
  const auto scrubbed = [&](const sthd::host::PluginHost& host) {
    REQUIRE(host.refusals().size() == 1);
    CHECK(host.refusals()[0].gate == 1);
    return second.scrub(first.scrub(host.refusals()[0].sentence));
  };
  SECTION("the first of two that are not bundled") {
    const sthd::host::PluginHost host({{first.plugins(), false}, {second.plugins(), false}});
    CHECK(scrubbed(host) ==
          "DIR/b.so: it is a second formatter called \"good\", and the earlier DIR/a.so wins: "
          "remove or rename one of them");
    CHECK(host.formatter("good")->file == first.file("a.so"));
    CHECK(second.traces() == strings{"good"});
    CHECK(first.traces().empty());
  }
  SECTION("a bundled one, wherever its folder stands in the list") {
    const sthd::host::PluginHost host({{first.plugins(), false}, {second.plugins(), true}});
    CHECK(scrubbed(host) ==
          "DIR/a.so: it is a second formatter called \"good\", and the bundled DIR/b.so wins: "
          "remove or rename one of them");
    CHECK(host.formatter("good")->file == second.file("b.so"));
    CHECK(host.formatter("good")->bundled);
  }
}
