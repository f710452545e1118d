#include "runner/profile/profile.hpp"
#include "support.hpp"

using namespace profile_test;
namespace sp = sthd::profile;

namespace {

using sthd::Expectation;
using Expectations = std::vector<Expectation>;

const std::string kJobs = jobs(R"([[job]]
id = "a"
label = "{op} T{threads}"
[job.matrix]
op = ["read", "write"]
threads = [1, 4]
[[job]]
id = "b"
label = "b"
)");

/// The expectations of a profile's text, whose file is in a folder of its own.
Expectations expected(const std::string& text, const Overrides& overrides = {}) {
  const Folder folder;
  const auto profile = sp::load(folder.write("t.toml", text), {kInstalled});
  if (const auto* faults = std::get_if<Diagnostics>(&profile)) FAIL(sp::render(*faults));
  const auto asked = sp::expand_all(std::get<Profile>(profile), overrides);
  if (const auto* faults = std::get_if<Diagnostics>(&asked)) FAIL(sp::render(*faults));
  return std::get<sp::Asked>(asked).expectations;
}

std::string expect(const std::string& id, const std::string& match) {
  return "[[expect]]\nid = \"" + id + "\"\nkind = \"require\"\n" +
         (match.empty() ? "" : "match = { " + match + " }\n") +
         "[expect.metrics]\niops = { min = 1 }\n";
}

/// The ids of the jobs that an expectation with this `match` is about.
Strings matched(const std::string& match, const Overrides& overrides = {}) {
  const Expectations all = expected(kJobs + expect("e", match), overrides);
  return all.empty() ? Strings{} : all[0].jobs;
}

/// "lat.p50 40000..65000", "iops 36000.. spec 40000"
std::string text(const sthd::ExpectedRange& range) {
  const auto end = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : "";
  };
  return fmt::format("{} {}..{}{}", range.metric, end(range.low), end(range.high),
                     range.spec ? " spec " + end(range.spec) : "");
}

Strings ranges(const std::string& kind, const std::string& metrics) {
  const Expectations all = expected(kJobs + "[[expect]]\nid = \"e\"\nsource = \"s\"\nkind = \"" +
                                    kind + "\"\n[expect.metrics]\n" + metrics);
  Strings texts;
  for (const auto& range : all.at(0).ranges) texts.push_back(text(range));
  return texts;
}

}  // namespace

TEST_CASE("Ranges are in their metrics' base units, in the order of the file",
          "[profile][expect]") {
  CHECK(ranges("healthy", R"(
iops         = { typical = [15000, 25000.5] }
lat.p50      = { typical = ["40us", "65us"] }
bw           = { min = "3140MB/s", max = "4GiB/s" }
bytes        = { min = 4096, max = "1GiB" }
seconds      = { max = "1.5s" }
sync.p99     = { max = "10ms" }
lat.p99_9    = { min = "1us" }
depth        = { min = 1.5 }
submit_share = { min = 0, max = 5 })") ==
        Strings{"iops 15000..25000.5", "lat.p50 40000..65000", "lat.p99_9 1000..",
                "bw 3140000000..4294967296", "bytes 4096..1073741824", "seconds ..1.5",
                "sync.p99 ..10000000", "depth 1.5..", "submit_share 0..5"});
}

TEST_CASE("A maker's figure may be missed by 10 percent, or by its tolerance",
          "[profile][expect]") {
  CHECK(ranges("vendor-spec", R"(
iops    = { spec = 40000 }
bw      = { spec = "1000MB/s", tolerance = 25 }
lat.p99 = { spec = "100us", tolerance = 0 }
seconds = { spec = "2s" })") == Strings{"iops 36000.. spec 40000", "bw 750000000.. spec 1000000000",
                                        "lat.p99 ..100000 spec 100000", "seconds ..2.2 spec 2"});
}

TEST_CASE("An expectation has all that its table says", "[profile][expect]") {
  const Expectations all = expected(kJobs + R"([[expect]]
id      = "e"
kind    = "healthy"
only_if = { filesystem = "ext*", "cpu.governor" = "performance" }
source  = "a page"
remedy  = "buy another"
[expect.metrics]
iops = { min = 1 }
)" + expect("must", ""));
  REQUIRE(all.size() == 2);
  CHECK(all[0].id == "e");
  CHECK(all[0].kind == sthd::ExpectKind::healthy);
  REQUIRE(all[0].only_if.size() == 2);
  CHECK(all[0].only_if[0].name == "filesystem");
  CHECK(all[0].only_if[0].glob == "ext*");
  CHECK(all[0].only_if[1].name == "cpu.governor");
  CHECK(all[0].source == "a page");
  CHECK(all[0].remedy == "buy another");
  CHECK(all[0].jobs.size() == 5);
  CHECK(all[1].kind == sthd::ExpectKind::require);
  CHECK(all[1].source.empty());
}

TEST_CASE("An expectation is about the jobs that have all of its values", "[profile][expect]") {
  CHECK(matched("job = \"a\"").size() == 4);
  CHECK(matched("job = \"b\"") == Strings{"b"});
  CHECK(matched("job = \"a/op=read,threads=4\"") == Strings{"a/op=read,threads=4"});
  CHECK(matched("threads = 4") == Strings{"a/op=read,threads=4", "a/op=write,threads=4"});
  CHECK(matched("job = \"a\", threads = [1, 9], op = \"write\"") ==
        Strings{"a/op=write,threads=1"});
  CHECK(matched("block_size = \"4k\", pattern = [\"random\"]").size() == 5);
}

TEST_CASE("Of jobs that do not run nothing is expected", "[profile][expect]") {
  Overrides overrides;
  overrides.only = {"b"};
  CHECK(matched("", overrides) == Strings{"b"});
  CHECK(matched("job = \"a\"", overrides).empty());
  overrides.only.clear();
  overrides.set = {{"threads", "2"}};
  CHECK(matched("threads = 4", overrides).empty());
  CHECK(matched("threads = 2", overrides).size() == 3);
  CHECK(matched("job = \"a/op=read,threads=4\"", overrides).empty());
}

TEST_CASE("A template that no job has is a mistake whatever the command line says",
          "[profile][expect]") {
  Overrides overrides;
  overrides.set = {{"threads", "2"}};
  const std::string found = faults(kJobs + expect("e", "job = \"c\""), overrides);
  CHECK(found.find("no job is called \"c\"") != std::string::npos);
}

TEST_CASE("A parent's expectation that is about none of the child's jobs is left out",
          "[profile][expect]") {
  const std::string child = "schema = 1\nname = \"t\"\nextends = \"slog\"\n";
  CHECK(expected(child).size() == 1);
  const std::string wider = child + "[[job]]\nid = \"sync4k\"\nmatrix = { threads = [2] }\n";
  CHECK(expected(wider).empty());
  CHECK(expected(child + "[[expect]]\nid = \"optane-slog-t1\"\nremove = true\n").empty());
  // What the child changes is its own.
  const std::string own = faults(wider + "[[expect]]\nid = \"optane-slog-t1\"\nremedy = \"x\"\n");
  CHECK(own.find("no job that expect \"optane-slog-t1\" is about has this threads") !=
        std::string::npos);
}

TEST_CASE("A child may change one range of its parent's expectation", "[profile][expect]") {
  const Expectations all = expected(R"(schema = 1
name = "t"
extends = "slog"
[[expect]]
id = "optane-slog-t1"
[expect.metrics]
iops    = { typical = [1, 2] }
lat.p99 = { max = "1ms" }
)");
  REQUIRE(all.size() == 1);
  Strings texts;
  for (const auto& range : all[0].ranges) texts.push_back(text(range));
  CHECK(texts == Strings{"iops 1..2", "lat.p50 40000..65000", "lat.p99 ..1000000"});
}
