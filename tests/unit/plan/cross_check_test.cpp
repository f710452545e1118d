#include "runner/plan/cross_check.hpp"

#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::plan;

namespace {

using strings = std::vector<std::string>;

Job job(const std::string& id, const std::string& label, std::uint32_t loops = 1) {
  Job result{.id = id, .template_id = id.substr(0, id.find('/')), .label = label};
  result.workload.loops = loops;
  result.workload.engines = {"io_uring", "libaio", "psync"};
  return result;
}

strings ids(const std::vector<Job>& jobs) {
  strings result;
  for (const Job& one : jobs) result.push_back(one.id);
  return result;
}

strings labels(const std::vector<Job>& jobs) {
  strings result;
  for (const Job& one : jobs) result.push_back(one.label);
  return result;
}

}  // namespace

TEST_CASE("A twin repeats its job by fio", "[plan][cross-check]") {
  Job ours = job("rnd", "RND4K", 3);
  ours.workload.queue_depth = 32;
  const auto twins = twins_of({ours});
  REQUIRE(twins.size() == 1);
  const Job twin = twin_with(twins[0], "libaio");
  CHECK(twin.id == "rnd/check=fio-exec");
  CHECK(twin.template_id == "rnd");
  CHECK(twin.label == "RND4K fio");
  CHECK(twin.checks == "rnd");
  CHECK(twin.workload.queue_depth == 32);
  CHECK(twin.workload.loops == 3);
  CHECK(twin.workload.backends == strings{"fio-exec"});
  CHECK(twin.workload.engines == strings{"libaio"});
  CHECK(twin.workload.backend_named);
  CHECK(twin.workload.engine_named);
}

TEST_CASE("The check stands among the axes of a twin's id where the alphabet puts it",
          "[plan][cross-check]") {
  CHECK(ids(twins_of({job("a/op=read,threads=4", "A"), job("a/block_size=4096", "B"),
                      job("a/block_size=4096,op=read", "C"),
                      job("a/cache=cold,engine=libaio,psync,op=read", "D"),
                      job("a/backend=dd,fio-exec", "E")})) ==
        strings{"a/check=fio-exec,op=read,threads=4", "a/block_size=4096,check=fio-exec",
                "a/block_size=4096,check=fio-exec,op=read",
                "a/cache=cold,check=fio-exec,engine=libaio,psync,op=read",
                "a/backend=dd,fio-exec,check=fio-exec"});
}

TEST_CASE("Rows and their twins' rows have labels of their own", "[plan][cross-check]") {
  CHECK(labels(twins_of({job("r", "SEQ"), job("w", "SEQ"), job("x", "RND")})) ==
        strings{"SEQ fio", "SEQ fio", "RND fio"});
  CHECK(labels(twins_of({job("a", "A"), job("b", "A fio"), job("c", "A fio fio")})) ==
        strings{"A fio fio fio", "A fio fio fio fio", "A fio fio fio fio fio"});
}
