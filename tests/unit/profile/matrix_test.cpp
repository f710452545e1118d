#include "support.hpp"

using namespace profile_test;

TEST_CASE("Matrix multiplies axes in file order, first axis slowest", "[profile][matrix]") {
  const auto plan = expand(jobs(R"([[job]]
id = "a"
label = "{block_size} T{threads}"
[job.matrix]
threads = [1, 4]
block_size = ["4KiB", "1MiB"])"));
  CHECK(labels(plan) == Strings{"4K T1", "1M T1", "4K T4", "1M T4"});
}

TEST_CASE("An id is the template and its axes, sorted, sizes in plain bytes", "[profile][matrix]") {
  const auto plan = expand(whole(R"([[job]]
id = "rnd4k"
label = "x {op} {block_size}"
pattern = "random"
[job.matrix]
threads = [16]
op = ["read"]
block_size = ["4k", "1M"]
runtime = ["1m"]
engine = ["sync"])"));
  CHECK(ids(plan) ==
        Strings{"rnd4k/block_size=4096,engine=psync,op=read,runtime=60s,threads=16",
                "rnd4k/block_size=1048576,engine=psync,op=read,runtime=60s,threads=16"});
}

TEST_CASE("A job without matrix is one case and its id is the template", "[profile][matrix]") {
  const auto plan = expand(jobs("[[job]]\nid = \"one\"\nlabel = \"one\""));
  CHECK(ids(plan) == Strings{"one"});
  CHECK(plan[0].template_id == "one");
}

TEST_CASE("An axis of tables sets several keys and the id lists the keys", "[profile][matrix]") {
  const auto plan = expand(whole(R"([[job]]
id = "a"
label = "{PATTERN}{block_size} Q{queue_depth}"
[job.matrix]
test = [{ pattern = "sequential", block_size = "1MiB", queue_depth = 8 },
        { pattern = "random", block_size = "4KiB", queue_depth = 32 }]
op = ["read", "write"])"));
  CHECK(labels(plan) == Strings{"SEQ1M Q8", "SEQ1M Q8", "RND4K Q32", "RND4K Q32"});
  CHECK(plan[0].id == "a/block_size=1048576,op=read,pattern=sequential,queue_depth=8");
  CHECK(plan[3].id == "a/block_size=4096,op=write,pattern=random,queue_depth=32");
}

TEST_CASE("Exclude drops what matches in all its keys, a list means any of", "[profile][matrix]") {
  const auto plan = expand(jobs(R"([[job]]
id = "a"
label = "{block_size} T{threads}"
[job.matrix]
threads = [1, 4, 8]
block_size = ["4KiB", "1MiB"]
[[job.exclude]]
threads = [4, 8]
block_size = 1048576
[[job.exclude]]
threads = 1
block_size = "4k")"));
  CHECK(labels(plan) == Strings{"1M T1", "4K T4", "4K T8"});
}

TEST_CASE("Include appends whole cases, and stands alone without a matrix", "[profile][matrix]") {
  const auto with = expand(jobs(R"([[job]]
id = "a"
label = "Q{queue_depth} T{threads}"
[job.matrix]
threads = [1, 2]
[[job.include]]
threads = 4
queue_depth = 32)"));
  CHECK(labels(with) == Strings{"Q1 T1", "Q1 T2", "Q32 T4"});
  CHECK(with[2].id == "a/queue_depth=32,threads=4");
  const auto alone = expand(jobs(R"([[job]]
id = "a"
label = "Q{queue_depth}"
[[job.include]]
queue_depth = 2
[[job.include]]
queue_depth = 3)"));
  CHECK(ids(alone) == Strings{"a/queue_depth=2", "a/queue_depth=3"});
}

TEST_CASE("A matrix that excludes everything is a fault", "[profile][matrix]") {
  CHECK(faults(jobs(R"([[job]]
id = "a"
label = "x"
[job.matrix]
threads = [1]
[[job.exclude]]
threads = 1)")) == R"(t.toml:14:6: every case of "a" is excluded
   14 | id = "a"
      |      ^~~ drop an [[job.exclude]], or the job
)");
}

TEST_CASE("Two axes may not set one key", "[profile][matrix]") {
  CHECK(faults(jobs(R"([[job]]
id = "a"
label = "x"
[job.matrix]
threads = [1, 2]
pair = [{ threads = 3, queue_depth = 4 }])")) ==
        R"(t.toml:18:1: the axes "threads" and "pair" both set threads
   18 | pair = [{ threads = 3, queue_depth = 4 }]
      | ^~~~ leave it to one of them
)");
}

TEST_CASE("A value twice on an axis is a fault", "[profile][matrix]") {
  CHECK(faults(jobs(R"([[job]]
id = "a"
label = "T{threads}"
[job.matrix]
threads = [4, 4])")) == R"(t.toml:14:6: the case "a/threads=4" appears twice
   14 | id = "a"
      |      ^~~ list each value of an axis once
)");
}

TEST_CASE("More than 256 cases need --yes-many", "[profile][matrix]") {
  std::string depths;
  for (int i = 1; i <= 257; ++i) depths += std::to_string(i) + ",";
  const std::string text =
      jobs("[[job]]\nid = \"a\"\nlabel = \"Q{queue_depth}\"\n[job.matrix]\nqueue_depth = [" +
           depths + "]");
  CHECK(faults(text) ==
        "t.toml: this profile makes 257 cases, and more than 256 run only with --yes-many; give "
        "it, or choose some with --only\n");
  Overrides many;
  many.many = true;
  CHECK(expand(text, many).size() == 257);
  Overrides some;
  some.only = {"Q25?"};
  CHECK(expand(text, some).size() == 8);
}

TEST_CASE("A product of axes beyond all reason is refused before it is built",
          "[profile][matrix]") {
  std::string numbers;
  for (int i = 1; i <= 500; ++i) numbers += std::to_string(i) + ",";
  Overrides many;
  many.many = true;
  const std::string text =
      jobs("[[job]]\nid = \"a\"\nlabel = \"x\"\n[job.matrix]\nthreads = [" + numbers +
           "]\nloops = [" + numbers + "]\nqueue_depth = [" + numbers + "]\n");
  CHECK(faults(text, many) ==
        "t.toml:14:6: the matrix of \"a\" makes more than 10000 cases\n   14 | id = \"a\"\n"
        "      |      ^~~ shorten its axes\n");
}

TEST_CASE("A condition is an axis like any other, and absent from ids otherwise",
          "[profile][matrix]") {
  const auto plan = expand(jobs(R"([[job]]
id = "a"
label = "{block_size} {condition} x{repeat}"
repeat = 3
[job.matrix]
condition = ["as-is", "cores-awake", "cores-busy", "governor-performance"])"));
  CHECK(labels(plan) == Strings{"4K as-is x3", "4K cores-awake x3", "4K cores-busy x3",
                                "4K governor-performance x3"});
  CHECK(ids(plan) == Strings{"a/condition=as-is", "a/condition=cores-awake",
                             "a/condition=cores-busy", "a/condition=governor-performance"});
  CHECK(ids(expand(jobs("[[job]]\nid = \"one\"\nlabel = \"one\"\nrepeat = 2\n"
                        "condition = \"cores-busy\""))) == Strings{"one"});
}
