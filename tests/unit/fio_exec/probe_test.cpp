#include "fake_fio.hpp"
#include "support/catch.hpp"

using namespace sthd;
using namespace sthd::test;

namespace {

std::string refusal(const Workload& workload, const std::string& engine = "psync") {
  const LoadedBackend backend("fio-exec");
  const WorkFile file(kMiB);
  const auto found = probe(backend, workload, file, engine);
  if (found) return "ok";
  CHECK(found.error().code == ErrorCode::unavailable);
  return found.error().message;
}

Workload small_write() {
  Workload w;
  w.op = Op::write;
  w.pattern = Pattern::random;
  w.size = kMiB;
  w.runtime_ns = kSecond;
  return w;
}

/// The report of one job: the first of two_jobs().
std::string one_job() {
  const std::string all = two_jobs();
  return all.substr(0, all.find("    },\n    {\n      \"jobname\"")) + "    }\n  ]\n}\n";
}

}  // namespace

TEST_CASE("The backend offers fio's engines and is not native", "[fio_exec][probe]") {
  const LoadedBackend backend("fio-exec");
  const auto info = backend->info();
  REQUIRE(info);
  CHECK(info->engines == std::vector<std::string>{"io_uring", "libaio", "psync", "posixaio"});
  CHECK_FALSE(info->native);
}

TEST_CASE("A probe gives fio's version", "[fio_exec][probe]") {
  const FakeFio fio;
  fio.put("document", one_job());
  fio.put("version", "fio-3.33-dirty\n");
  const LoadedBackend backend("fio-exec");
  const WorkFile file(kMiB);
  Workload w = small_write();
  w.queue_depth = 4;
  w.threads = 2;
  const auto found = probe(backend, w, file, "psync");
  REQUIRE(found);
  CHECK(found->version == "fio-3.33-dirty");
  CHECK(found->queue_depth_effective == 4);
  CHECK(found->workers == 8);
  CHECK(found->note == "queue depth served by 8 OS threads");
  CHECK(fio.left("argv").find("--numjobs=1\n") != std::string::npos);
  CHECK(fio.left("argv").find("--io_size=4096\n") != std::string::npos);
}

TEST_CASE("No fio, another fio and an old fio are refused", "[fio_exec][probe]") {
  {
    const TempDir empty;
    const PathOverride path(empty.path());
    CHECK(refusal(small_write()) ==
          "fio was not found in PATH (" + empty.path() + "); install fio");
  }
  const FakeFio fio;
  fio.put("version", "fio-2.2.10\n");
  CHECK(refusal(small_write()) ==
        fio.program() + " is fio-2.2.10, which is too old; install fio 2.99 or newer");
  fio.put("version", "other 3.33\n");
  CHECK(refusal(small_write()) ==
        fio.program() + " is not fio: its version does not begin with \"fio-\"");
  std::filesystem::permissions(fio.program(), std::filesystem::perms(0644));
  CHECK(refusal(small_write()) == fio.program() + ": it is not executable");
}

TEST_CASE("A probe that fails says fio's words", "[fio_exec][probe]") {
  const FakeFio fio;
  fio.put("document", "");
  fio.put("rc", "1");
  fio.put("stderr",
          "fio: pid=1, err=1/file:engines/io_uring.c:1, func=io_queue_init, "
          "error=Operation not permitted\x1b[31m\n");
  CHECK(refusal(small_write(), "io_uring") ==
        "fio exited with status 1 without a result: fio: pid=1, err=1/file:engines/io_uring.c:1, "
        "func=io_queue_init, error=Operation not permitted\\x1b[31m (EPERM)");
}

TEST_CASE("libaio without O_DIRECT is refused at depth unless it was named", "[fio_exec][probe]") {
  const FakeFio fio;
  fio.put("document", one_job());
  Workload w = small_write();
  CHECK(refusal(w, "libaio") == "ok");
  w.queue_depth = 2;
  CHECK(refusal(w, "libaio") ==
        "libaio submits buffered I/O synchronously: the depth would not be real");
  const LoadedBackend backend("fio-exec");
  const WorkFile file(kMiB);
  CHECK(probe(backend, w, file, "libaio", true).ok());
}

TEST_CASE("A workload that fio cannot do is refused without starting it", "[fio_exec][probe]") {
  const FakeFio fio;
  Workload w = small_write();
  w.layout = Layout::none;
  CHECK(refusal(w) == "fio needs the test file at its full size; use layout = \"full\"");
  w = small_write();
  w.rate_iops = 100;
  CHECK(refusal(w) ==
        "fio measures no response time from the moment an I/O was due; leave rate_iops to a "
        "built-in engine");
  CHECK(fio.left("fds").empty());
}
