#include "runner/profile/label.hpp"

#include "support.hpp"

using namespace profile_test;

namespace {
std::string label_of(const std::string& label, const std::string& keys) {
  return expand(jobs("[[job]]\nid = \"a\"\nlabel = '" + label + "'\n" + keys))[0].label;
}
}  // namespace

TEST_CASE("Labels stand for the values of their case", "[profile][label]") {
  struct Row {
    std::string label;
    std::string keys;
    std::string text;
  };
  const std::vector<Row> rows{
      {"plain", "", "plain"},
      {"{PATTERN}{block_size} Q{queue_depth}T{threads}",
       "pattern = \"sequential\"\nblock_size = \"1MiB\"\nqueue_depth = 8", "SEQ1M Q8T1"},
      {"{PATTERN}", "pattern = \"random\"", "RND"},
      {"{pattern} {op}", "pattern = \"random\"", "random read"},
      {"{block_size}", "block_size = 1536", "1536"},
      {"{block_size}", "block_size = \"64k\"", "64K"},
      {"{size} {runtime} {ramp}", "size = \"2GiB\"\nruntime = \"1500ms\"\nramp = \"0s\"",
       "2G 1500ms 0s"},
      {"{sync} {direct} {cache} {loops}", "sync = \"o_dsync\"", "o_dsync auto as_is 1"},
      {"{engine}", "engine = [\"libaio\", \"sync\"]", "libaio+psync"},
      {"{bytes}", "bytes = \"size\"", "size"},
      {"{op} {read_percent}/{rate_iops} {distribution} {poll}{sqpoll} {sample}",
       "op = \"mixed\"\nrate_iops = 100\ndistribution = \"zipf:1.20\"\nsample = \"2000ms\"",
       "mixed 70/100 zipf:1.20 falsefalse 2s"},
      {"a {{b}} {{{op}}}", "", "a {b} {read}"},
  };
  for (const Row& row : rows) {
    INFO(row.label);
    CHECK(label_of(row.label, row.keys) == row.text);
  }
}

TEST_CASE("An unknown placeholder is pointed at", "[profile][label]") {
  CHECK(faults(jobs("[[job]]\nid = \"a\"\nlabel = \"é {blocksize} x\"")) ==
        R"(t.toml:15:12: unknown placeholder {blocksize} in the label
   15 | label = "é {blocksize} x"
      |            ^~~~~~~~~~~ did you mean "block_size"?
)");
  CHECK(faults(jobs("[[job]]\nid = \"a\"\nlabel = \"{op\"")) ==
        R"(t.toml:15:10: a "{" without its partner in the label
   15 | label = "{op"
      |          ^ write it twice to mean the character itself
)");
}

TEST_CASE("A label may not name a limit that its job does not have", "[profile][label]") {
  CHECK(faults(jobs("[[job]]\nid = \"a\"\nlabel = \"{ios}\"")) ==
        R"(t.toml:15:9: the label names {ios}, which job "a" does not set
   15 | label = "{ios}"
      |         ^~~~~~~
)");
}

TEST_CASE("A label may not name a rate where there is none", "[profile][label]") {
  CHECK(faults(jobs("[[job]]\nid = \"a\"\nlabel = \"{rate_iops}\"")) ==
        R"(t.toml:15:9: the label names {rate_iops}, which job "a" does not set
   15 | label = "{rate_iops}"
      |         ^~~~~~~~~~~~~
)");
}

TEST_CASE("Two cases of one label and op are a fault that names the missing axis",
          "[profile][label]") {
  CHECK(
      faults(jobs(R"([[job]]
id = "a"
label = "{block_size}"
[job.matrix]
op = ["read", "write"]
threads = [1, 4])")) ==
      R"(t.toml:15:9: the label "4K" stands for two read cases, a/op=read,threads=1 and a/op=read,threads=4: it lacks threads
   15 | label = "{block_size}"
      |         ^~~~~~~~~~~~~~ add {threads} to it
t.toml:15:9: the label "4K" stands for two write cases, a/op=write,threads=1 and a/op=write,threads=4: it lacks threads
   15 | label = "{block_size}"
      |         ^~~~~~~~~~~~~~ add {threads} to it
)");
}

TEST_CASE("A mixed case fills the columns of both directions, so its row is its own",
          "[profile][label]") {
  CHECK(
      faults(jobs(R"([[job]]
id = "a"
label = "{block_size}"
[job.matrix]
op = ["write", "mixed"])")) ==
      R"(t.toml:15:9: the label "4K" stands for a write and a mixed case, a/op=write and a/op=mixed: it lacks op
   15 | label = "{block_size}"
      |         ^~~~~~~~~~~~~~ add {op} to it
)");
  CHECK(labels(expand(jobs("[[job]]\nid = \"a\"\nlabel = \"{op}\"\n[job.matrix]\n"
                           "op = [\"read\", \"write\", \"mixed\"]"))) ==
        Strings{"read", "write", "mixed"});
}

TEST_CASE("Two jobs of one label are told apart by what differs, or by another label",
          "[profile][label]") {
  CHECK(faults(jobs("[[job]]\nid = \"a\"\nlabel = \"x\"\n[[job]]\nid = \"b\"\nlabel = \"x\"")) ==
        R"(t.toml:18:9: the label "x" stands for two read cases, a and b
   18 | label = "x"
      |         ^~~ give one of the jobs another label
)");
}
