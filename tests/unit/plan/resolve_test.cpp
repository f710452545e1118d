#include "runner/plan/resolve.hpp"

#include <map>

#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::plan;

namespace {

host::BackendEntry backend(const std::string& name, std::vector<std::string> engines, bool native) {
  host::BackendEntry entry;
  entry.name = name;
  entry.info = {.engines = std::move(engines), .native = native};
  return entry;
}

const std::vector<host::BackendEntry> kBackends{
    backend("dd", {"dd"}, false),
    backend("fio-exec", {"io_uring", "libaio", "psync", "posixaio"}, false),
    backend("native-aio", {"libaio"}, true), backend("native-psync", {"psync"}, true)};

/// Answers from a table "engine by backend" -> refusal; works where it has no entry.
class FakeProber final : public Prober {
 public:
  std::map<std::string, std::string> refusals;
  int asked = 0;
  std::string no_condition;  ///< why none can be had; empty = all can
  int conditions_asked = 0;
  Outcome<Capability> probe(std::size_t, const std::string& backend, const std::string& engine,
                            bool, bool) override {
    ++asked;
    const auto found = refusals.find(engine + " by " + backend);
    if (found != refusals.end()) return Error{ErrorCode::unavailable, found->second, 0};
    return Capability{.queue_depth_effective = 1, .workers = 1};
  }
  Outcome<Done> condition(std::size_t) override {
    ++conditions_asked;
    if (no_condition.empty()) return Done{};
    return Error{ErrorCode::unavailable, no_condition, 0};
  }
};

Job job(std::vector<std::string> engines, bool named = false) {
  Job result{.id = "j", .template_id = "j", .label = "J"};
  result.workload.engines = std::move(engines);
  result.workload.engine_named = named;
  return result;
}

std::string tried(const Resolution& resolution) {
  std::string text;
  for (const auto& attempt : resolution.tried) text += attempt.what + ": " + attempt.refused + "\n";
  return text;
}

const DirectFacts kReal{true, true, "ext4 writes past the page cache"};
const DirectFacts kIgnored{true, false, "tmpfs keeps everything in RAM"};

Resolved resolve(const Job& job, FakeProber& prober, const DirectFacts& direct = kReal,
                 std::uint32_t alignment = 0) {
  Target target;
  target.direct_offset_alignment = alignment;
  return Resolver(kBackends, target, direct, prober).resolve(0, job);
}

}  // namespace

TEST_CASE("An auto list takes the first native engine and records what was passed over",
          "[plan][resolve]") {
  FakeProber prober;
  const auto found = resolve(job({"io_uring", "libaio", "psync"}), prober).resolution;
  CHECK(found.backend == "native-aio");
  CHECK(found.engine == "libaio");
  CHECK(tried(found) == "io_uring: no backend offers it\n");
}

TEST_CASE("A refused engine gives way to the next, with its reason", "[plan][resolve]") {
  FakeProber prober;
  prober.refusals["libaio by native-aio"] = "io_setup: Operation not permitted (EPERM)";
  const auto found = resolve(job({"io_uring", "libaio", "psync"}), prober).resolution;
  CHECK(found.backend == "native-psync");
  CHECK(tried(found) ==
        "io_uring: no backend offers it\n"
        "libaio by native-aio: io_setup: Operation not permitted (EPERM)\n");
}

TEST_CASE("A named engine is never replaced", "[plan][resolve]") {
  FakeProber prober;
  prober.refusals["libaio by native-aio"] = "io_setup: Operation not permitted (EPERM)";
  prober.refusals["libaio by fio-exec"] = "fio is not installed";
  const auto found = resolve(job({"libaio"}, true), prober).resolution;
  CHECK(found.backend.empty());
  CHECK(found.reason == "libaio by fio-exec: fio is not installed");
}

TEST_CASE("A named engine that no native backend offers goes to fio-exec", "[plan][resolve]") {
  FakeProber prober;
  const auto found = resolve(job({"io_uring"}, true), prober).resolution;
  CHECK(found.backend == "fio-exec");
  CHECK(found.engine == "io_uring");
  CHECK(tried(found).empty());
}

TEST_CASE("Without a native engine an auto list falls to fio-exec", "[plan][resolve]") {
  FakeProber prober;
  prober.refusals["libaio by native-aio"] = "no";
  prober.refusals["psync by native-psync"] = "no";
  const auto found = resolve(job({"libaio", "psync"}), prober).resolution;
  CHECK(found.backend == "fio-exec");
}

TEST_CASE("A named backend is the only one tried", "[plan][resolve]") {
  FakeProber prober;
  auto wanted = job({"io_uring", "libaio", "psync"});
  wanted.workload.backends = {"fio-exec"};
  prober.refusals["io_uring by fio-exec"] = "no";
  prober.refusals["libaio by fio-exec"] = "no";
  prober.refusals["psync by fio-exec"] = "fio is not installed; install the package fio";
  const auto found = resolve(wanted, prober).resolution;
  CHECK(found.backend.empty());
  CHECK(found.reason == "psync by fio-exec: fio is not installed; install the package fio");
}

TEST_CASE("A backend whose engines were not listed brings its own", "[plan][resolve]") {
  FakeProber prober;
  auto wanted = job({"io_uring", "libaio", "psync"});
  wanted.workload.backends = {"dd"};
  CHECK(resolve(wanted, prober).resolution.engine == "dd");
  wanted.workload.engine_named = true;
  wanted.workload.engines = {"libaio"};
  const auto refused = resolve(wanted, prober).resolution;
  CHECK(refused.reason == "dd: it does not offer libaio");
}

TEST_CASE("A backend that does not exist is named", "[plan][resolve]") {
  FakeProber prober;
  auto wanted = job({"psync"});
  wanted.workload.backends = {"nosuch"};
  CHECK(resolve(wanted, prober).resolution.reason ==
        "nosuch: no such backend; `speedtest-hd list -v` shows what was loaded");
}

TEST_CASE("O_DIRECT is used where it is real, and its reason kept", "[plan][resolve]") {
  FakeProber prober;
  const auto found = resolve(job({"psync"}), prober, kReal, 512);
  CHECK(found.use_direct);
  CHECK(found.resolution.direct_effective == true);
  CHECK(found.resolution.direct_reason == "ext4 writes past the page cache");
}

TEST_CASE("Where O_DIRECT means nothing, auto goes on buffered and required skips",
          "[plan][resolve]") {
  FakeProber prober;
  auto wanted = job({"psync"});
  const auto found = resolve(wanted, prober, kIgnored);
  CHECK_FALSE(found.use_direct);
  CHECK(found.resolution.direct_effective == false);
  CHECK(found.resolution.backend == "native-psync");
  wanted.workload.direct = DirectMode::required;
  const auto skipped = resolve(wanted, prober, kIgnored).resolution;
  CHECK(skipped.backend.empty());
  CHECK(skipped.reason == "O_DIRECT is required: tmpfs keeps everything in RAM");
}

TEST_CASE("Where nobody can tell, O_DIRECT is used and its effect unknown", "[plan][resolve]") {
  FakeProber prober;
  const auto found =
      resolve(job({"psync"}), prober, {true, std::nullopt, "nfs: the server may cache"});
  CHECK(found.use_direct);
  CHECK_FALSE(found.resolution.direct_effective.has_value());
}

TEST_CASE("A block that does not fit the alignment cannot be direct", "[plan][resolve]") {
  FakeProber prober;
  auto wanted = job({"psync"});
  wanted.workload.block_size = 512;
  const auto found = resolve(wanted, prober, kReal, 4096);
  CHECK_FALSE(found.use_direct);
  CHECK(found.resolution.direct_reason ==
        "blocks of 512 bytes are no multiple of the 4096 that O_DIRECT needs here");
}

TEST_CASE("The same question is put to the target once", "[plan][resolve]") {
  FakeProber prober;
  Target target;
  Resolver resolver(kBackends, target, kReal, prober);
  resolver.resolve(0, job({"psync"}));
  resolver.resolve(1, job({"psync"}));
  CHECK(prober.asked == 1);
}

TEST_CASE("A resolution keeps the index by which the target knows its job", "[plan][resolve]") {
  FakeProber prober;
  const Target target;
  CHECK(Resolver(kBackends, target, kReal, prober).resolve(7, job({"psync"})).index == 7);
}

TEST_CASE("Another shape of load is another question", "[plan][resolve]") {
  FakeProber prober;
  Target target;
  Resolver resolver(kBackends, target, kReal, prober);
  std::vector<Job> jobs(8, job({"psync"}));
  jobs[1].workload.poll = true;
  jobs[2].workload.sqpoll = true;
  jobs[3].workload.rate_iops = 100;
  jobs[4].workload.distribution = Distribution::zipf;
  jobs[5].workload.distribution = Distribution::zipf;
  jobs[5].workload.zipf_theta = 1;
  jobs[6].workload.read_percent = 0;
  jobs[7].workload.sample_ns = kSecond;  // asks nothing of an engine
  for (std::size_t i = 0; i < jobs.size(); ++i) resolver.resolve(i, jobs[i]);
  CHECK(prober.asked == 7);
}

TEST_CASE("A row whose condition cannot be had is skipped before any engine is tried",
          "[plan][resolve][condition]") {
  FakeProber prober;
  prober.no_condition = "no such file; leave it out";
  Job one = job({"psync"});
  one.workload.condition = Condition::cores_awake;
  const Target target;
  Resolver resolver(kBackends, target, kReal, prober);
  for (int again = 0; again < 2; ++again) {
    const auto found = resolver.resolve(0, one);
    CHECK_FALSE(found.runs());
    CHECK(found.resolution.reason == "cores-awake: no such file; leave it out");
    CHECK(tried(found.resolution) == "cores-awake: no such file; leave it out\n");
    CHECK_FALSE(found.resolution.direct_effective.has_value());
  }
  CHECK(prober.conditions_asked == 1);
  CHECK(prober.asked == 0);
  one.workload.condition = Condition::as_is;
  CHECK(resolver.resolve(0, one).runs());
  CHECK(prober.conditions_asked == 1);
}

TEST_CASE("A condition that can be had is asked for once, each for itself",
          "[plan][resolve][condition]") {
  FakeProber prober;
  const Target target;
  Resolver resolver(kBackends, target, kReal, prober);
  Job one = job({"psync"});
  for (const Condition condition :
       {Condition::cores_busy, Condition::cores_busy, Condition::governor_performance}) {
    one.workload.condition = condition;
    const auto found = resolver.resolve(0, one);
    CHECK(found.runs());
    CHECK(tried(found.resolution).empty());
  }
  CHECK(prober.conditions_asked == 2);
}
