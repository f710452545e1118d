#include "support.hpp"

using namespace profile_test;
using Pairs = std::vector<std::pair<std::string, std::string>>;

namespace {

Overrides axes(const Pairs& pairs) {
  Overrides overrides;
  overrides.axis = pairs;
  return overrides;
}

/// A job with two axes, named in its label.
const std::string kMatrix = R"([[job]]
id = "a"
label = "{block_size} T{threads}"
[job.matrix]
threads = [1, 4]
block_size = ["4k", "64k"])";

const std::string kOne = "[[job]]\nid = \"a\"\nlabel = \"one\"\n";

std::string axis_faults(const std::string& key, const std::string& text) {
  return faults(jobs(kOne), axes({{key, text}}));
}

}  // namespace

TEST_CASE("An axis of the command line follows the profile's own and is in the label",
          "[profile][axis]") {
  const auto plan = expand(jobs(kMatrix), axes({{"queue_depth", "1,32"}}));
  CHECK(labels(plan) == Strings{"4K T1 queue_depth=1", "4K T1 queue_depth=32",
                                "64K T1 queue_depth=1", "64K T1 queue_depth=32",
                                "4K T4 queue_depth=1", "4K T4 queue_depth=32",
                                "64K T4 queue_depth=1", "64K T4 queue_depth=32"});
  CHECK(plan[1].id == "a/block_size=4096,queue_depth=32,threads=1");
  CHECK(plan[1].workload.queue_depth == 32);
}

TEST_CASE("An axis of the profile's name takes its place", "[profile][axis]") {
  CHECK(labels(expand(jobs(kMatrix), axes({{"threads", "2,8"}}))) ==
        Strings{"4K T2", "64K T2", "4K T8", "64K T8"});
  CHECK(labels(expand(jobs(kMatrix), axes({{"block_size", "1m"}}))) == Strings{"1M T1", "1M T4"});
}

TEST_CASE("A job without a matrix gets one", "[profile][axis]") {
  const auto plan = expand(jobs(kOne), axes({{"block_size", "4k,1MiB,512"}}));
  CHECK(labels(plan) == Strings{"one block_size=4K", "one block_size=1M", "one block_size=512"});
  CHECK(ids(plan) == Strings{"a/block_size=4096", "a/block_size=1048576", "a/block_size=512"});
  CHECK(labels(expand(jobs(kOne), axes({{"threads", "8"}}))) == Strings{"one threads=8"});
}

TEST_CASE("Several axes multiply in the order given, one given twice counts the last time",
          "[profile][axis]") {
  CHECK(
      labels(expand(jobs(kOne), axes({{"threads", "7"}, {"loops", "1,2"}, {"threads", "3,5"}}))) ==
      Strings{"one threads=3 loops=1", "one threads=3 loops=2", "one threads=5 loops=1",
              "one threads=5 loops=2"});
}

TEST_CASE("Values of an axis are read as those of --set", "[profile][axis]") {
  struct Row {
    std::string key;
    std::string text;
    Strings ids;
  };
  const std::vector<Row> rows{
      {"runtime", "1,500ms", {"a/runtime=1s", "a/runtime=500ms"}},
      {"engine", "psync,libaio", {"a/engine=psync", "a/engine=libaio"}},
      {"engine", "sync", {"a/engine=psync"}},
      {"engine",
       "[[\"io_uring\", \"psync\"], \"psync\"]",
       {"a/engine=io_uring+psync", "a/engine=psync"}},
      {"distribution", "uniform,zipf:1.2", {"a/distribution=uniform", "a/distribution=zipf:1.2"}},
      {"poll", "false,true", {"a/poll=false", "a/poll=true"}},
      {"rate_iops", "100,1000", {"a/rate_iops=100", "a/rate_iops=1000"}},
      {"threads", "[1, 4]", {"a/threads=1", "a/threads=4"}},
      {"sync", "none,o_sync", {"a/sync=none", "a/sync=o_sync"}}};
  for (const Row& row : rows) {
    INFO(row.key << " " << row.text);
    CHECK(ids(expand(jobs(kOne), axes({{row.key, row.text}}))) == row.ids);
  }
  CHECK(expand(jobs(kOne), axes({{"engine", "psync,libaio"}}))[0].workload.engine_named);
}

TEST_CASE("Tables on the profile's axes lose the key that the command line gives",
          "[profile][axis]") {
  const std::string text = jobs(R"([[job]]
id = "a"
label = "{block_size} Q{queue_depth}"
[job.matrix]
test = [{ block_size = "1MiB", queue_depth = 8 }, { block_size = "1MiB", queue_depth = 1 },
        { block_size = "4KiB", queue_depth = 32 }])");
  CHECK(labels(expand(text, axes({{"queue_depth", "2,4"}}))) ==
        Strings{"1M Q2", "1M Q4", "4K Q2", "4K Q4"});
}

TEST_CASE("Included cases run with every value, too", "[profile][axis]") {
  const std::string text = jobs(R"([[job]]
id = "a"
label = "T{threads} Q{queue_depth}"
[[job.include]]
threads = 1
queue_depth = 2
[[job.include]]
threads = 4)");
  CHECK(ids(expand(text, axes({{"queue_depth", "8,16"}}))) ==
        Strings{"a/queue_depth=8,threads=1", "a/queue_depth=16,threads=1",
                "a/queue_depth=8,threads=4", "a/queue_depth=16,threads=4"});
  CHECK(ids(expand(text, axes({{"threads", "3"}}))) ==
        Strings{"a/queue_depth=2,threads=3", "a/threads=3"});
}

TEST_CASE("Directions share a row unless the columns cannot tell them apart", "[profile][axis]") {
  CHECK(labels(expand(jobs(kOne), axes({{"op", "read,write"}}))) == Strings{"one", "one"});
  CHECK(labels(expand(jobs(kOne), axes({{"op", "read,write,mixed"}}))) ==
        Strings{"one op=read", "one op=write", "one op=mixed"});
  const std::string without_op = "[[column]]\nid = \"x\"\ntitle = \"x\"\nmetric = \"bw\"\n";
  CHECK(labels(expand(jobs(kOne) + without_op, axes({{"op", "read,write"}}))) ==
        Strings{"one op=read", "one op=write"});
}

TEST_CASE("Excludes and --only act on the cases that an axis makes", "[profile][axis]") {
  Overrides overrides = axes({{"threads", "2,8"}});
  CHECK(labels(expand(jobs(kMatrix + "\n[[job.exclude]]\nthreads = 8"), overrides)) ==
        Strings{"4K T2", "64K T2"});
  overrides.only = {"*T8"};
  CHECK(labels(expand(jobs(kMatrix), overrides)) == Strings{"4K T8", "64K T8"});
  CHECK(faults(jobs(kOne + "[[job.exclude]]\nthreads = 8"), axes({{"threads", "2,8"}})) ==
        R"(t.toml:16:7: [[job.exclude]] has no [job.matrix] to act on
   16 | [[job.exclude]]
      |       ^~~~~~~
)");
}

TEST_CASE("A wrong axis on the command line says so in one sentence", "[profile][axis]") {
  struct Row {
    std::string key;
    std::string text;
    std::string message;
  };
  const std::vector<Row> rows{
      {"thread", "1,2", "command line: unknown key \"thread\"; did you mean \"threads\"?\n"},
      {"label", "a,b", "command line: unknown key \"label\"\n"},
      {"threads", "", "command line: threads must be an integer, not \"\"\n"},
      {"threads", "1,", "command line: threads must be an integer, not \"\"\n"},
      {"threads", "1,600", "command line: threads must be at most 512, not 600\n"},
      {"threads", "[]",
       "command line: --axis threads has no values; list them, as in --axis threads=1,4\n"},
      {"threads", "4,1,4",
       "command line: --axis threads has the value 4 twice; list each value once\n"},
      {"block_size", "4k,4096",
       "command line: --axis block_size has the value 4096 twice; list each value once\n"},
      {"op", "read,wirte",
       "command line: op must be one of \"read\", \"write\", \"mixed\", not \"wirte\"; did you "
       "mean "
       "\"write\"?\n"},
      {"distribution", "uniform,zipf:9",
       "command line: distribution: the theta of \"zipf:9\" is not above 0 and up to 5\n"},
      {"engine", "psync,nope",
       "command line: engine must be one of \"io_uring\", \"libaio\", \"psync\", \"sync\", "
       "\"posixaio\", \"dd\", not \"nope\"; name the backend, too, if a plugin brings this "
       "engine\n"}};
  for (const Row& row : rows) {
    INFO(row.key << "=" << row.text);
    CHECK(axis_faults(row.key, row.text) == row.message);
  }
}

TEST_CASE("A key cannot be an axis and set at once", "[profile][axis]") {
  Overrides overrides = axes({{"threads", "1,4"}});
  overrides.set = {{"threads", "2"}};
  CHECK(faults(jobs(kOne), overrides) ==
        "command line: threads is an axis and has one value as well; leave out --axis threads, or "
        "what sets threads\n");
}

TEST_CASE("An axis that makes too many cases is refused before it is built", "[profile][axis]") {
  std::string numbers = "1";
  for (int i = 2; i <= 500; ++i) numbers += "," + std::to_string(i);
  Overrides many = axes({{"threads", numbers}, {"queue_depth", numbers}});
  many.many = true;
  const std::string refused =
      "t.toml:14:6: the matrix of \"a\" makes more than 10000 cases\n   14 | id = \"a\"\n"
      "      |      ^~~ shorten its axes\n";
  CHECK(faults(jobs(kOne), many) == refused);
  CHECK(faults(jobs(kOne + "[[job.include]]\nloops = 2"), many) == refused);
}
