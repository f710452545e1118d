#include "support.hpp"

using namespace profile_test;
namespace sp = sthd::profile;

namespace {

const std::string kParent = R"(schema = 1
name = "parent"
title = "The parent"
[defaults]
engine = ["io_uring", "psync"]
op = "read"
pattern = "random"
block_size = "4KiB"
runtime = "7s"
[[job]]
id = "a"
label = "a T{threads} Q{queue_depth}"
[job.matrix]
threads = [1, 2]
queue_depth = [1, 2]
[[job]]
id = "b"
label = "b"
[[column]]
id = "iops"
title = "IOPS"
metric = "iops"
[[column]]
id = "bw"
title = "MB/s"
metric = "bw"
)";

const std::string kChild = "schema = 1\nname = \"child\"\nextends = \"parent\"\n";

struct Family {
  Folder folder;
  explicit Family(const std::string& child) {
    folder.write("parent.toml", kParent);
    folder.write("child.toml", child);
  }
  [[nodiscard]] sp::Checked<Profile> load() const {
    return sp::load((folder.path() / "child.toml").string(), {});
  }
  [[nodiscard]] std::string faults() const {
    const auto loaded = load();
    const auto* found = std::get_if<Diagnostics>(&loaded);
    return found == nullptr ? "" : folder.scrub(sp::render(*found));
  }
  [[nodiscard]] std::vector<Job> jobs() const {
    return std::get<std::vector<Job>>(sp::expand(std::get<Profile>(load()), {}));
  }
};

}  // namespace

TEST_CASE("Tables merge by key, scalars and lists replace", "[profile][extends]") {
  const Family family(kChild + "[defaults]\nruntime = \"9s\"\nengine = [\"libaio\"]\n");
  const auto jobs = family.jobs();
  CHECK(jobs.size() == 5);
  CHECK(jobs[0].workload.runtime_ns == 9'000'000'000);
  CHECK(jobs[0].workload.engines == Strings{"libaio"});
  CHECK(jobs[0].workload.block_size == 4096);
}

TEST_CASE("Jobs merge by id, the parent's order first", "[profile][extends]") {
  const Family family(kChild +
                      "[[job]]\nid = \"c\"\nlabel = \"c\"\n[[job]]\nid = \"b\"\nlabel = \"B\"\n");
  const auto jobs = family.jobs();
  CHECK(jobs[4].label == "B");
  CHECK(jobs[5].id == "c");
  CHECK(jobs.size() == 6);
}

TEST_CASE("A redefined axis keeps its place and new ones follow", "[profile][extends]") {
  const Family family(kChild +
                      "[[job]]\nid = \"a\"\nlabel = \"{loops} T{threads} Q{queue_depth}\"\n"
                      "[job.matrix]\nloops = [1, 2]\nthreads = [8]\n");
  auto all = labels(family.jobs());
  all.pop_back();
  CHECK(all == Strings{"1 T8 Q1", "2 T8 Q1", "1 T8 Q2", "2 T8 Q2"});
}

TEST_CASE("remove = true deletes a job or a column", "[profile][extends]") {
  const Family family(kChild +
                      "[[job]]\nid = \"a\"\nremove = true\n[[column]]\nid = \"iops\"\n"
                      "remove = true\n");
  CHECK(ids(family.jobs()) == Strings{"b"});
  const auto profile = family.load();
  REQUIRE(std::get<Profile>(profile).columns().size() == 1);
  CHECK(std::get<Profile>(profile).columns()[0].id == "bw");
}

TEST_CASE("There must be something to remove, and remove stands alone", "[profile][extends]") {
  CHECK(Family(kChild + "[[job]]\nid = \"aa\"\nremove = true\n").faults() ==
        R"(child.toml:5:6: nothing to remove: no parent has a [[job]] "aa"
    5 | id = "aa"
      |      ^~~~
)");
  CHECK(Family(kChild + "[[job]]\nid = \"a\"\nop = \"read\"\nremove = true\n").faults() ==
        R"(child.toml:7:1: remove = true stands alone with the id
    7 | remove = true
      | ^~~~~~ delete the other keys, or this one
)");
}

TEST_CASE("An id stands once in a file", "[profile][extends]") {
  CHECK(Family(kChild + "[[job]]\nid = \"a\"\n[[job]]\nid = \"a\"\n").faults() ==
        R"(child.toml:7:6: two [[job]] have the id "a"
    7 | id = "a"
      |      ^~~ the first is in line 5
)");
}

TEST_CASE("Name and title are the file's own", "[profile][extends]") {
  const Family family(kChild);
  const auto profile = family.load();
  CHECK(std::get<Profile>(profile).info().name == "child");
  CHECK(std::get<Profile>(profile).info().title == "child");
}

TEST_CASE("Without extends there is no parent, and completeness is judged after the merge",
          "[profile][extends]") {
  CHECK(faults("schema = 1\nname = \"alone\"\n[[job]]\nid = \"a\"\n[[column]]\nid = \"x\"\n") ==
        R"(t.toml:3:1: job "a" has no "label"
    3 | [[job]]
      | ^~~~~~~
t.toml:5:1: column "x" has no "title"
    5 | [[column]]
      | ^~~~~~~~~~
t.toml:5:1: column "x" has no "metric"
    5 | [[column]]
      | ^~~~~~~~~~
)");
  CHECK(faults("schema = 1\nname = \"alone\"\n[[job]]\nid = \"a\"\nlabel = \"a\"\n[[column]]\n"
               "id = \"x\"\ntitle = \"x\"\nmetric = \"bw\"\n") == R"(t.toml:4:6: job "a" has no op
    4 | id = "a"
      |      ^~~ add op = "read" to it or to [defaults]
t.toml:4:6: job "a" has no pattern
    4 | id = "a"
      |      ^~~ add pattern = "random" to it or to [defaults]
t.toml:4:6: job "a" has no block_size
    4 | id = "a"
      |      ^~~ add block_size = "4KiB" to it or to [defaults]
t.toml:4:6: job "a" has no engine
    4 | id = "a"
      |      ^~~ add extends = "base" to the profile, or engine = ["psync"] to [defaults]
)");
}

TEST_CASE("A circle of extends is printed as a chain", "[profile][extends]") {
  const Folder folder;
  const std::string head = "schema = 1\nname = \"x\"\nextends = ";
  const std::string a = folder.write("a.toml", head + "\"b\"\n");
  folder.write("b.toml", head + "\"c\"\n");
  folder.write("c.toml", head + "\"b\"\n");
  const auto loaded = sp::load(a, {});
  CHECK(folder.scrub(sp::render(std::get<Diagnostics>(loaded))) ==
        R"(c.toml:3:11: extends runs in a circle: b -> c -> b
    3 | extends = "b"
      |           ^~~
)");
}

TEST_CASE("Four parents in a row are the most", "[profile][extends]") {
  const Folder folder;
  folder.write("p0.toml", jobs("[[job]]\nid = \"a\"\nlabel = \"a\"\n"));
  for (int i = 1; i <= 5; ++i) {
    folder.write(fmt::format("p{}.toml", i),
                 fmt::format("schema = 1\nname = \"p\"\nextends = \"p{}\"\n", i - 1));
  }
  const auto four = sp::load((folder.path() / "p4.toml").string(), {});
  CHECK(std::holds_alternative<Profile>(four));
  const auto five = sp::load((folder.path() / "p5.toml").string(), {});
  CHECK(folder.scrub(sp::render(std::get<Diagnostics>(five))) ==
        R"(p1.toml:3:11: a profile may have 4 parents in a row at most
    3 | extends = "p0"
      |           ^~~~
)");
}

TEST_CASE("A parent is looked up beside the file, then among the installed", "[profile][extends]") {
  const Folder folder;
  const std::string child =
      folder.write("c.toml", "schema = 1\nname = \"c\"\nextends = \"slog\"\n");
  const auto installed = sp::load(child, {kInstalled});
  CHECK(std::get<Profile>(installed).info().files.size() == 3);
  folder.write("slog.toml", jobs("[[job]]\nid = \"beside\"\nlabel = \"b\"\n"));
  const auto beside = sp::load(child, {kInstalled});
  CHECK(std::get<Profile>(beside).info().files.size() == 2);
  CHECK(
      Family("schema = 1\nname = \"c\"\nextends = \"parnet\"\n").faults() ==
      R"(child.toml:3:11: there is no profile "parnet" to extend, neither beside this file nor installed
    3 | extends = "parnet"
      |           ^~~~~~~~ did you mean "parent"?
)");
}

TEST_CASE("Faults of child and parent come together, each with its file", "[profile][extends]") {
  const Folder folder;
  folder.write("parent.toml", kParent + "[defaults2]\n");
  const std::string child = folder.write("child.toml", kChild + "titel = \"x\"\n");
  const auto loaded = sp::load(child, {});
  CHECK(folder.scrub(sp::render(std::get<Diagnostics>(loaded))) ==
        R"(child.toml:4:1: unknown key "titel" at the top level
    4 | titel = "x"
      | ^~~~~ did you mean "title"?
parent.toml:27:2: unknown key "defaults2" at the top level
   27 | [defaults2]
      |  ^~~~~~~~~ did you mean "defaults"?
)");
}
