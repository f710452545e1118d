#include "support.hpp"

using namespace profile_test;
using sthd::Op;
using sthd::Workload;

namespace {

Workload one(const std::string& keys, const Overrides& overrides = {}) {
  return expand(jobs("[[job]]\nid = \"a\"\nlabel = \"a\"\n" + keys), overrides).at(0).workload;
}

Overrides set(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Overrides overrides;
  overrides.set = pairs;
  return overrides;
}

std::string set_faults(const std::string& key, const std::string& text) {
  return faults(jobs("[[job]]\nid = \"a\"\nlabel = \"a\"\n"), set({{key, text}}));
}

}  // namespace

TEST_CASE("Every default is resolved", "[profile][expand]") {
  const Workload work = one("");
  CHECK(work.op == Op::read);
  CHECK(work.queue_depth == 1);
  CHECK(work.threads == 1);
  CHECK(work.sync == sthd::SyncMode::none);
  CHECK(work.direct == sthd::DirectMode::auto_);
  CHECK(work.cache == sthd::CacheMode::as_is);
  CHECK_FALSE(work.end_fsync);
  CHECK(work.runtime_ns == 5 * sthd::kSecond);
  CHECK(work.ramp_ns == sthd::kSecond);
  CHECK(work.loops == 1);
  CHECK(work.repeat == 1);
  CHECK(work.order == sthd::Order::interleaved);
  CHECK(work.score == sthd::Score::median);
  CHECK(work.interval_ns == 0);
  CHECK(work.condition == sthd::Condition::as_is);
  CHECK(work.size == sthd::kGiB);
  CHECK(work.ios == 0);
  CHECK(work.bytes == 0);
  CHECK(work.region == sthd::Region::auto_);
  CHECK(work.layout == sthd::Layout::full);
  CHECK(work.buffer == sthd::BufferKind::random);
  CHECK(work.read_percent == 70);
  CHECK(work.rate_iops == 0);
  CHECK(work.distribution == sthd::Distribution::uniform);
  CHECK(work.zipf_theta == 0);
  CHECK_FALSE(work.poll);
  CHECK_FALSE(work.sqpoll);
  CHECK(work.sample_ns == 100 * sthd::kMillisecond);
  CHECK(work.engines == Strings{"io_uring", "psync"});
  CHECK_FALSE(work.engine_named);
  CHECK(work.backends.empty());
  CHECK_FALSE(work.backend_named);
}

TEST_CASE("Every key reaches the workload", "[profile][expand]") {
  const Workload work = one(R"(op = "write"
pattern = "sequential"
block_size = "1m"
queue_depth = 4096
threads = 512
sync = "fdatasync"
direct = "required"
cache = "warm"
end_fsync = true
runtime = "90s"
ramp = "0s"
loops = 1000
repeat = 100
order = "grouped"
score = "max"
interval = "1h"
condition = "cores-busy"
ios = 77
bytes = "4MiB"
size = "2TB"
region = "shared"
layout = "none"
buffer = "zeros"
read_percent = 0
rate_iops = 1000000000
distribution = "zipf:1.25"
poll = true
sqpoll = true
sample = "1h"
engine = "sync"
backend = "fio-exec")");
  CHECK(work.op == Op::write);
  CHECK(work.pattern == sthd::Pattern::sequential);
  CHECK(work.block_size == sthd::kMiB);
  CHECK(work.queue_depth == 4096);
  CHECK(work.threads == 512);
  CHECK(work.sync == sthd::SyncMode::fdatasync);
  CHECK(work.direct == sthd::DirectMode::required);
  CHECK(work.cache == sthd::CacheMode::warm);
  CHECK(work.end_fsync);
  CHECK(work.runtime_ns == 90 * sthd::kSecond);
  CHECK(work.ramp_ns == 0);
  CHECK(work.loops == 1000);
  CHECK(work.repeat == 100);
  CHECK(work.order == sthd::Order::grouped);
  CHECK(work.score == sthd::Score::max);
  CHECK(work.interval_ns == 3600 * sthd::kSecond);
  CHECK(work.condition == sthd::Condition::cores_busy);
  CHECK(work.ios == 77);
  CHECK(work.bytes == 4 * sthd::kMiB);
  CHECK(work.size == 2'000'000'000'000);
  CHECK(work.region == sthd::Region::shared);
  CHECK(work.layout == sthd::Layout::none);
  CHECK(work.buffer == sthd::BufferKind::zeros);
  CHECK(work.read_percent == 0);
  CHECK(work.rate_iops == 1'000'000'000);
  CHECK(work.distribution == sthd::Distribution::zipf);
  CHECK(work.zipf_theta == 1.25);
  CHECK(work.poll);
  CHECK(work.sqpoll);
  CHECK(work.sample_ns == 3600 * sthd::kSecond);
  CHECK(work.engines == Strings{"psync"});
  CHECK(work.engine_named);
  CHECK(work.backends == Strings{"fio-exec"});
  CHECK(work.backend_named);
}

TEST_CASE("end_fsync is the default of unsynced writes, and never of reads", "[profile][expand]") {
  struct Row {
    std::string keys;
    bool expected;
  };
  const std::vector<Row> rows{{"op = \"write\"", true},
                              {"op = \"write\"\nend_fsync = false", false},
                              {"op = \"write\"\nsync = \"o_sync\"", false},
                              {"op = \"write\"\nsync = \"o_sync\"\nend_fsync = true", true},
                              {"op = \"mixed\"", true},
                              {"op = \"read\"\nend_fsync = true", false}};
  for (const Row& row : rows) {
    INFO(row.keys);
    CHECK(one(row.keys).end_fsync == row.expected);
  }
}

TEST_CASE("A limited job has no runtime and no ramp unless it names one itself",
          "[profile][expand]") {
  const std::string defaults =
      "op = \"read\"\npattern = \"random\"\nblock_size = \"4KiB\"\nruntime = \"9s\"\n";
  const std::string head = "[[job]]\nid = \"a\"\nlabel = \"a\"\n";
  const auto work = [&](const std::string& keys, const Overrides& overrides = {}) {
    return expand(whole(head + keys, defaults), overrides).at(0).workload;
  };
  CHECK(work("").runtime_ns == 9 * sthd::kSecond);
  CHECK(work("ios = 5").runtime_ns == 0);
  CHECK(work("ios = 5").ramp_ns == 0);
  CHECK(work("bytes = \"1MiB\"\nruntime = \"3s\"").runtime_ns == 3 * sthd::kSecond);
  CHECK(work("bytes = \"1MiB\"\nramp = \"2s\"").ramp_ns == 2 * sthd::kSecond);
  CHECK(work("ios = 5\n[job.matrix]\nruntime = [\"4s\"]").runtime_ns == 4 * sthd::kSecond);
  CHECK(work("ios = 5", set({{"runtime", "8"}})).runtime_ns == 8 * sthd::kSecond);
}

TEST_CASE("bytes = size is once over the file in whole blocks", "[profile][expand]") {
  CHECK(one("bytes = \"size\"\nsize = \"1MiB\"").bytes == sthd::kMiB);
  CHECK(one("bytes = \"size\"\nsize = 10000").bytes == 8192);
}

TEST_CASE("bytes = size is once over the file by each thread where all work on the same whole",
          "[profile][expand]") {
  const std::string keys = "bytes = \"size\"\nsize = 10000\nthreads = 3\n";
  CHECK(one(keys).bytes == 8192);
  CHECK(one(keys + "region = \"shared\"").bytes == 8192);
  CHECK(one(keys + "region = \"same\"").bytes == 3 * 8192);
  CHECK(faults(jobs("[[job]]\nid = \"a\"\nlabel = \"a\"\nsize = \"3000000TiB\"\nthreads = 512\n"
                    "region = \"same\"\nbytes = \"size\"")) ==
        R"(t.toml:19:9: 512 threads over 2.86 EiB each are more bytes than can be counted
   19 | bytes = "size"
      |         ^~~~~~
)");
}

TEST_CASE("The shape of a load is set on the command line, too", "[profile][expand][set]") {
  const auto zipf = one("", set({{"distribution", "zipf:0.8"}}));
  CHECK(zipf.distribution == sthd::Distribution::zipf);
  CHECK(zipf.zipf_theta == 0.8);
  const auto uniform = one("distribution = \"zipf:2\"", set({{"distribution", "uniform"}}));
  CHECK(uniform.distribution == sthd::Distribution::uniform);
  CHECK(uniform.zipf_theta == 0);
  CHECK(one("", set({{"op", "mixed"}, {"read_percent", "0"}})).read_percent == 0);
  CHECK(one("", set({{"read_percent", "100"}})).read_percent == 100);
  CHECK(one("", set({{"rate_iops", "1"}})).rate_iops == 1);
  CHECK(one("", set({{"poll", "true"}})).poll);
  CHECK(one("poll = true", set({{"poll", "false"}})).poll == false);
  CHECK(one("", set({{"sqpoll", "true"}})).sqpoll);
  CHECK(one("", set({{"sample", "10ms"}})).sample_ns == 10 * sthd::kMillisecond);
  CHECK(one("", set({{"sample", "0.5"}})).sample_ns == 500 * sthd::kMillisecond);
}

TEST_CASE("A new file can be extended, and nothing else", "[profile][expand]") {
  const auto job = [](const std::string& keys) {
    return faults(jobs("[[job]]\nid = \"a\"\nlabel = \"a\"\nlayout = \"none\"\n" + keys));
  };
  CHECK(job("op = \"write\"\npattern = \"sequential\"").empty());
  CHECK(
      job("op = \"mixed\"\npattern = \"sequential\"") ==
      R"(t.toml:16:10: layout = "none" begins each loop with an empty file, where there is nothing to read, so it needs op = "write"
   16 | layout = "none"
      |          ^~~~~~
)");
  CHECK(
      job("op = \"write\"") ==
      R"(t.toml:16:10: layout = "none" begins each loop with an empty file, which random writes would leave full of holes, so it needs pattern = "sequential"
   16 | layout = "none"
      |          ^~~~~~
)");
  CHECK(set_faults("layout", "none") ==
        "command line: layout = \"none\" begins each loop with an empty file, where there is "
        "nothing to read, so it needs op = \"write\"\n");
}

TEST_CASE("What is named is told apart from what is a choice", "[profile][expand]") {
  CHECK(one("engine = [\"libaio\"]").engine_named);
  CHECK(one("engine = \"libaio\"").engine_named);
  CHECK(one("[job.matrix]\nengine = [\"libaio\"]").engine_named);
  CHECK(one("", set({{"engine", "libaio"}})).engine_named);
  CHECK_FALSE(one("engine = [\"libaio\", \"psync\"]").engine_named);
  CHECK_FALSE(one("", set({{"engine", "libaio,psync"}})).engine_named);
  CHECK(one("", set({{"backend", "dd"}})).backend_named);
  CHECK(one("engine = [\"psync\", \"sync\"]").engines == Strings{"psync"});
}

TEST_CASE("The command line's values reach every job", "[profile][expand][set]") {
  CHECK(one("size = \"2GiB\"", set({{"size", "4g"}})).size == 4 * sthd::kGiB);
  CHECK(one("", set({{"size", "8192"}})).size == 8192);
  CHECK(one("", set({{"runtime", "30"}})).runtime_ns == 30 * sthd::kSecond);
  CHECK(one("", set({{"runtime", "1.5"}})).runtime_ns == 1'500'000'000);
  CHECK(one("", set({{"runtime", "2m"}})).runtime_ns == 120 * sthd::kSecond);
  CHECK(one("", set({{"ramp", "0"}})).ramp_ns == 0);
  CHECK(one("", set({{"threads", "8"}})).threads == 8);
  CHECK(one("", set({{"threads", "8"}, {"threads", "9"}})).threads == 9);
  CHECK(one("op = \"write\"", set({{"end_fsync", "false"}})).end_fsync == false);
  CHECK(one("", set({{"op", "write"}})).op == Op::write);
  CHECK(one("", set({{"op", "\"write\""}})).op == Op::write);
  CHECK(one("", set({{"engine", "[\"libaio\", \"psync\"]"}})).engines ==
        Strings{"libaio", "psync"});
  CHECK(one("", set({{"engine", "libaio,psync"}})).engines == Strings{"libaio", "psync"});
}

TEST_CASE("A set key beats an axis of its name", "[profile][expand][set]") {
  const std::string text = jobs(R"([[job]]
id = "a"
label = "T{threads} Q{queue_depth}"
[job.matrix]
threads = [1, 4, 8]
pair = [{ queue_depth = 1, loops = 1 }, { queue_depth = 2, loops = 1 }])");
  CHECK(ids(expand(text, set({{"threads", "2"}}))) ==
        Strings{"a/loops=1,queue_depth=1,threads=2", "a/loops=1,queue_depth=2,threads=2"});
  CHECK(labels(expand(text, set({{"threads", "2"}, {"queue_depth", "32"}}))) == Strings{"T2 Q32"});
}

TEST_CASE("A set key that makes an included case the same as another leaves one",
          "[profile][expand][set]") {
  const std::string text = jobs(R"([[job]]
id = "a"
label = "T{threads}"
[[job.include]]
threads = 1
[[job.include]]
threads = 4)");
  CHECK(labels(expand(text, set({{"threads", "2"}}))) == Strings{"T2"});
}

TEST_CASE("A wrong value on the command line says so", "[profile][expand][set]") {
  struct Row {
    std::string key;
    std::string text;
    std::string message;
  };
  const std::vector<Row> rows{
      {"thread", "4", "command line: unknown key \"thread\"; did you mean \"threads\"?\n"},
      {"target", "/dev/sda", "command line: unknown key \"target\"\n"},
      {"label", "x", "command line: unknown key \"label\"\n"},
      {"threads", "abc", "command line: threads must be an integer, not \"abc\"\n"},
      {"threads", "0", "command line: threads must be at least 1, not 0\n"},
      {"threads", "-1", "command line: threads must be at least 1, not -1\n"},
      {"threads", "nan", "command line: threads must be an integer, not NaN\n"},
      {"threads", "1\nloops = 2",
       "command line: threads must be an integer, not \"1\\nloops = 2\"\n"},
      {"repeat", "0", "command line: repeat must be at least 1, not 0\n"},
      {"repeat", "101", "command line: repeat must be at most 100, not 101\n"},
      {"order", "group",
       "command line: order must be one of \"interleaved\", \"grouped\", not \"group\"; did you "
       "mean \"grouped\"?\n"},
      {"score", "best", "command line: score must be one of \"median\", \"max\", not \"best\"\n"},
      {"interval", "3601",
       "command line: interval: \"3601s\" is more than 1h, the longest pause\n"},
      {"interval", "-1", "command line: interval must be a time such as \"5s\", not \"-1s\"\n"},
      {"condition", "cores_awake",
       "command line: condition must be one of \"as-is\", \"cores-awake\", \"cores-busy\", "
       "\"governor-performance\", not \"cores_awake\"; did you mean \"cores-awake\"?\n"},
      {"runtime", "0", "command line: runtime: a measured window of nothing measures nothing\n"},
      {"runtime", "-5", "command line: runtime must be a time such as \"5s\", not \"-5s\"\n"},
      {"runtime", "31d", "command line: runtime: \"31d\" is more than 30 days, the longest time\n"},
      {"size", "16E", "command line: size must be a size such as \"4KiB\", not \"16E\"\n"},
      {"size", "0", "command line: size must be at least 1, not 0\n"},
      {"op", "raed",
       "command line: op must be one of \"read\", \"write\", \"mixed\", not \"raed\"; did you mean "
       "\"read\"?\n"},
      {"read_percent", "101", "command line: read_percent must be at most 100, not 101\n"},
      {"read_percent", "-1", "command line: read_percent must be at least 0, not -1\n"},
      {"rwmixread", "70",
       "command line: unknown key \"rwmixread\"; did you mean \"read_percent\"?\n"},
      {"rate_iops", "0", "command line: rate_iops must be at least 1, not 0\n"},
      {"distribution", "zipf",
       "command line: distribution must be \"uniform\", or \"zipf:\" and a number such as "
       "\"zipf:1.2\", not \"zipf\"\n"},
      {"distribution", "zipf:0",
       "command line: distribution: the theta of \"zipf:0\" is not above 0 and up to 5\n"},
      {"distribution", "zipf:5.1",
       "command line: distribution: the theta of \"zipf:5.1\" is not above 0 and up to 5\n"},
      {"poll", "1", "command line: poll must be true or false, not an integer\n"},
      {"sample", "999us", "command line: sample: \"999us\" is not a time from 1ms to 1h\n"},
      {"sample", "3601", "command line: sample: \"3601s\" is not a time from 1ms to 1h\n"},
      {"engine", "nope",
       "command line: engine must be one of \"io_uring\", \"libaio\", \"psync\", \"sync\", "
       "\"posixaio\", \"dd\", not \"nope\"; name the backend, too, if a plugin brings this "
       "engine\n"},
      {"engine", "libaio,iouring",
       "command line: engine must be one of \"io_uring\", \"libaio\", \"psync\", \"sync\", "
       "\"posixaio\", \"dd\", not \"iouring\"; did you mean \"io_uring\"?\n"},
      {"engine", "/tmp/x.so",
       "command line: engine must be the name of an engine such as \"psync\", not "
       "\"/tmp/x.so\"\n"}};
  for (const Row& row : rows) {
    INFO(row.key << "=" << row.text);
    CHECK(set_faults(row.key, row.text) == row.message);
  }
}

TEST_CASE("An engine that nobody knows is a fault unless a backend is named", "[profile][expand]") {
  CHECK(
      faults(jobs("[[job]]\nid = \"a\"\nlabel = \"a\"\n[job.matrix]\n"
                  "engine = [\"psync\", \"libaoi\"]\nop = [\"read\", \"write\"]")) ==
      R"(t.toml:17:20: engine must be one of "io_uring", "libaio", "psync", "sync", "posixaio", "dd", not "libaoi"
   17 | engine = ["psync", "libaoi"]
      |                    ^~~~~~~~ did you mean "libaio"?
)");
  CHECK(one("engine = \"nope\"\nbackend = \"mine\"").engines == Strings{"nope"});
  CHECK(one("backend = \"mine\"", set({{"engine", "nope"}})).engines == Strings{"nope"});
  CHECK(one("", set({{"engine", "nope"}, {"backend", "mine"}})).engines == Strings{"nope"});
  for (const std::string name : {"io_uring", "libaio", "psync", "posixaio", "dd"}) {
    CHECK(one("", set({{"engine", name}})).engines == Strings{name});
  }
}

TEST_CASE("Only what matches a glob on label or id runs", "[profile][expand]") {
  const std::string text = jobs(R"([[job]]
id = "a"
label = "T{threads}"
[job.matrix]
threads = [1, 4, 16]
[[job]]
id = "b"
label = "other")");
  const auto only = [&](const Strings& globs) {
    Overrides overrides;
    overrides.only = globs;
    return ids(expand(text, overrides));
  };
  CHECK(only({"T1*"}) == Strings{"a/threads=1", "a/threads=16"});
  CHECK(only({"a/threads=4"}) == Strings{"a/threads=4"});
  CHECK(only({"a/*"}).size() == 3);
  CHECK(only({"a"}).size() == 3);
  CHECK(only({"other", "T4"}) == Strings{"a/threads=4", "b"});
  Overrides none;
  none.only = {"t1", "x"};
  CHECK(faults(text, none) ==
        "command line: no label and no id matches --only t1 --only x; the labels are \"T1\", "
        "\"T4\", \"T16\", \"other\"\n");
}

TEST_CASE("Keys that do not fit together are pointed at", "[profile][expand]") {
  const auto job = [](const std::string& keys) {
    return faults(jobs("[[job]]\nid = \"a\"\nlabel = \"a\"\n" + keys));
  };
  CHECK(job("block_size = \"1MiB\"\nsize = \"64KiB\"") ==
        R"(t.toml:16:14: block_size 1.00 MiB is larger than size 64.00 KiB
   16 | block_size = "1MiB"
      |              ^~~~~~
)");
  CHECK(job("threads = 4\nsize = 8192\npattern = \"sequential\"") ==
        R"(t.toml:16:11: each of 4 threads gets less than one block of 4.00 KiB from size 8.00 KiB
   16 | threads = 4
      |           ^
)");
  CHECK(job("threads = 4\nsize = 8192\npattern = \"random\"").empty());
  CHECK(job("bytes = 5000") == R"(t.toml:16:9: bytes 5000 is not a multiple of block_size 4096
   16 | bytes = 5000
      |         ^~~~
)");
  CHECK(job("block_size = 1000") ==
        R"(t.toml:16:14: block_size: 1000 bytes is not a multiple of 512 up to 1 GiB
   16 | block_size = 1000
      |              ^~~~
)");
}

TEST_CASE("A column without op needs rows of one direction", "[profile][expand]") {
  const std::string text = R"(schema = 1
name = "t"
extends = "base"
[[job]]
id = "a"
label = "row"
pattern = "random"
block_size = "4k"
[job.matrix]
op = ["read", "write"]
[[column]]
id = "x"
title = "x"
metric = "lat.p99"
)";
  CHECK(faults(text) == R"(t.toml:12:6: column "x" has no op, and the row "row" reads and writes
   12 | id = "x"
      |      ^~~ add op = "read" or op = "write"
)");
  CHECK(expand(text, set({{"op", "read"}})).size() == 1);
}

TEST_CASE("Columns get the unit and precision of their metric", "[profile][expand]") {
  const Folder folder;
  std::string text =
      "schema = 1\nname = \"t\"\nextends = \"base\"\n[[job]]\nid=\"a\"\nlabel=\"a\"\n";
  for (const char* metric : {"iops", "bw", "bytes", "seconds", "lat.p99_9"}) {
    text += fmt::format("[[column]]\nid = \"{0}\"\ntitle = \"{0}\"\nmetric = \"{0}\"\n", metric);
  }
  const auto loaded = sthd::profile::load(folder.write("t.toml", text), {kInstalled});
  Strings shown;
  for (const auto& column : std::get<Profile>(loaded).columns()) {
    shown.push_back(fmt::format("{}|{}|{}", column.metric, column.unit, column.precision));
  }
  CHECK(shown == Strings{"iops||0", "bw|MB/s|2", "bytes|B|0", "seconds|s|2", "lat.p99_9|us|1"});
}
