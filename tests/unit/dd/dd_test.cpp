#include <fcntl.h>

#include <cerrno>
#include <numeric>
#include <set>

#include "kit/process/program.hpp"
#include "support/catch.hpp"
#include "support/fake_context.hpp"

using namespace sthd;
using namespace sthd::test;

namespace {

constexpr std::uint64_t kSize = 4 * kMiB;
constexpr std::uint64_t kBlock = 64 * kKiB;

Job job_with(Op op) {
  Job job;
  job.workload.op = op;
  job.workload.block_size = kBlock;
  job.workload.size = kSize;
  return job;
}

Outcome<LoopResult> run(const Job& job, FakeContext& context) {
  const LoadedBackend backend("dd");
  return backend->run(job, context);
}

std::string refusal(const Workload& workload, int flags = 0) {
  const LoadedBackend backend("dd");
  const WorkFile file(kSize, flags);
  const auto found = probe(backend, workload, file, "dd");
  if (found) return "ok";
  CHECK(found.error().code == ErrorCode::unavailable);
  return found.error().message;
}

/// What must hold for every result.
void check_sound(const LoopResult& loop, const OpResult& result) {
  CHECK(result.ios > 0);
  CHECK(result.bytes == result.ios * kBlock);
  CHECK(result.elapsed_ns > 0);
  CHECK(result.lat.count() == 0);
  std::uint64_t sampled = 0;
  for (const Sample& sample : result.samples) sampled += sample.bytes;
  CHECK(sampled == result.bytes);
  REQUIRE(loop.per_thread.size() == 1);
  CHECK(loop.per_thread[0].bytes == result.bytes);
}

/// A private folder that is all of PATH, with a dd in it: the fake, or busybox's.
class OtherDd {
 public:
  enum class Kind { fake, busybox };
  explicit OtherDd(Kind kind) : busybox_(process::find_program("busybox")), path_(dir_.path()) {
    const std::string dd = dir_.path() + "/dd";
    if (kind == Kind::busybox) {
      if (busybox_) std::filesystem::create_symlink(*busybox_, dd);
      return;
    }
    std::filesystem::copy_file(std::string(STHD_SOURCE_DIR) + "/tests/support/fakes/dd", dd);
    std::filesystem::permissions(dd, std::filesystem::perms(0755));
  }
  void put(const std::string& name, std::string_view content) const { dir_.put(name, content); }
  [[nodiscard]] std::string left(const std::string& name) const {
    return slurp(dir_.path() + "/" + name);
  }
  [[nodiscard]] bool found() const { return busybox_.ok(); }
  [[nodiscard]] const std::string& folder() const { return dir_.path(); }

 private:
  TempDir dir_;
  Outcome<std::string> busybox_;
  PathOverride path_;
};

}  // namespace

TEST_CASE("dd writes an exact number of blocks, round the file", "[dd][real]") {
  const WorkFile file(kSize);
  const std::string before = file.content();
  FakeContext context(file, "dd");
  Job job = job_with(Op::write);
  job.workload.bytes = kSize + 2 * kBlock;
  job.workload.end_fsync = true;
  const auto loop = run(job, context);
  INFO((loop ? "" : loop.error().message));
  REQUIRE(loop);
  CHECK_FALSE(loop->read);
  REQUIRE(loop->write);
  check_sound(*loop, *loop->write);
  CHECK(loop->write->bytes == kSize + 2 * kBlock);
  REQUIRE(loop->end_fsync_ns);
  CHECK(*loop->end_fsync_ns <= loop->write->elapsed_ns);
  REQUIRE(loop->cpu);
  CHECK(loop->cpu->user_ns + loop->cpu->system_ns > 0);
  CHECK(context.phases ==
        std::vector<Phase>{Phase::prepare, Phase::measure, Phase::end_fsync, Phase::close});
  const std::string after = file.content();
  REQUIRE(after.size() == kSize);
  std::set<std::string> pages;
  for (std::size_t at = 0; at < kSize; at += 4 * kKiB) {
    CHECK(after.compare(at, 4 * kKiB, before, at, 4 * kKiB) != 0);  // every page was written
    pages.insert(after.substr(at, 4 * kKiB));
  }
  CHECK(pages.size() == kSize / (4 * kKiB));  // and no two are alike
}

TEST_CASE("dd writes zeros where zeros are asked for", "[dd][real]") {
  const WorkFile file(kSize);
  FakeContext context(file, "dd");
  Job job = job_with(Op::write);
  job.workload.buffer = BufferKind::zeros;
  job.workload.ios = 3;
  REQUIRE(run(job, context));
  CHECK(file.content().substr(0, 3 * kBlock) == std::string(3 * kBlock, '\0'));
  CHECK(file.content().substr(3 * kBlock, kBlock) != std::string(kBlock, '\0'));
}

TEST_CASE("dd reads for its whole time, however small the file", "[dd][real]") {
  const WorkFile file(kSize);
  FakeContext context(file, "dd");
  Job job = job_with(Op::read);
  job.workload.runtime_ns = 300 * kMillisecond;
  job.workload.ramp_ns = 50 * kMillisecond;
  const auto loop = run(job, context);
  REQUIRE(loop);
  REQUIRE(loop->read);
  check_sound(*loop, *loop->read);
  CHECK(loop->read->elapsed_ns >= job.workload.runtime_ns);
  CHECK(context.phases ==
        std::vector<Phase>{Phase::prepare, Phase::ramp, Phase::measure, Phase::close});
}

TEST_CASE("dd passes over the file once when nothing limits it", "[dd][real]") {
  const WorkFile file(kSize);
  FakeContext context(file, "dd");
  const auto loop = run(job_with(Op::read), context);
  REQUIRE(loop);
  CHECK(loop->read->bytes == kSize);
}

TEST_CASE("dd extends an empty file", "[dd][real]") {
  const WorkFile file(0);
  FakeContext context(file, "dd");
  Job job = job_with(Op::write);
  job.workload.layout = Layout::none;
  REQUIRE(run(job, context));
  CHECK(file.content().size() == kSize);
}

TEST_CASE("dd is probed with the flags of the job", "[dd][real]") {
  const LoadedBackend backend("dd");
  const WorkFile file(kSize, O_DIRECT);
  Workload w = job_with(Op::write).workload;
  w.sync = SyncMode::o_sync;
  const auto found = probe(backend, w, file, "dd");
  INFO((found ? "" : found.error().message));
  REQUIRE(found);
  CHECK(found->version.starts_with("dd ("));
  CHECK(found->queue_depth_effective == 1);
  CHECK(found->workers == 1);
}

TEST_CASE("dd of busybox works where its flags suffice", "[dd][busybox]") {
  const OtherDd dd(OtherDd::Kind::busybox);
  if (!dd.found()) return;
  const LoadedBackend backend("dd");
  const WorkFile file(kSize);
  for (const Op op : {Op::write, Op::read}) {
    Job job = job_with(op);
    job.workload.ios = 5;
    const auto found = probe(backend, job.workload, file, "dd");
    INFO((found ? "" : found.error().message));
    REQUIRE(found);
    CHECK(found->version.starts_with("BusyBox v1."));
    CHECK(found->version.find(' ', 9) == std::string::npos);
    FakeContext context(file, "dd");
    const auto loop = backend->run(job, context);
    REQUIRE(loop);
    CHECK((op == Op::read ? loop->read : loop->write)->ios == 5);
  }
}

TEST_CASE("A flag that dd does not have is told in its words", "[dd][busybox]") {
  const OtherDd dd(OtherDd::Kind::fake);
  dd.put("stderr", "dd: invalid argument 'sync' to 'oflag'\n");
  dd.put("rc", "1");
  Workload w = job_with(Op::write).workload;
  w.sync = SyncMode::o_sync;
  CHECK(refusal(w) == "dd exited with status 1: dd: invalid argument 'sync' to 'oflag'");
}

TEST_CASE("What dd cannot do is refused without starting it", "[dd][probe]") {
  const OtherDd dd(OtherDd::Kind::fake);
  const Workload good = job_with(Op::write).workload;
  struct Row {
    std::function<void(Workload&)> change;
    std::string message;
  };
  for (const Row& row :
       {Row{[](Workload& w) { w.op = Op::mixed; }, "dd cannot mix reads and writes"},
        Row{[](Workload& w) { w.pattern = Pattern::random; }, "dd does sequential I/O only"},
        Row{[](Workload& w) { w.queue_depth = 8; },
            "dd has queue depth 1 and one thread; asked are 8 and 1"},
        Row{[](Workload& w) { w.threads = 2; },
            "dd has queue depth 1 and one thread; asked are 1 and 2"},
        Row{[](Workload& w) { w.sync = SyncMode::fdatasync; },
            "dd cannot call fdatasync after each write; use sync = \"o_sync\" or \"o_dsync\""},
        Row{[](Workload& w) { w.size = kSize + 512; },
            "dd copies whole blocks; size 4.00 MiB is no multiple of 64.00 KiB"}}) {
    Workload w = good;
    row.change(w);
    CHECK(refusal(w) == row.message);
  }
  CHECK(dd.left("argv").empty());
  std::filesystem::remove(dd.folder() + "/dd");
  CHECK(refusal(good) == "dd was not found in PATH (" + dd.folder() + "); install dd");
}

TEST_CASE("dd gets whole blocks, no truncation and the job's flags", "[dd][child]") {
  const OtherDd dd(OtherDd::Kind::fake);
  const WorkFile file(kSize, O_DIRECT);
  FakeContext context(file, "dd");
  Job job = job_with(Op::write);
  job.workload.sync = SyncMode::o_dsync;
  job.workload.ios = 18;
  REQUIRE(run(job, context));
  const std::string argv = dd.left("argv");
  CHECK(argv.substr(0, argv.find('\n')) ==
        "bs=65536 count=16 of=" + file.proc_path() +
            " seek=0 conv=notrunc iflag=fullblock oflag=direct,dsync");
  CHECK(argv.substr(argv.find('\n') + 1) ==
        "bs=65536 count=2 of=" + file.proc_path() +
            " seek=16 conv=notrunc iflag=fullblock oflag=direct,dsync\n");
}

TEST_CASE("dd's words about speed are ignored, its failures are not", "[dd][child]") {
  const OtherDd dd(OtherDd::Kind::fake);
  const WorkFile file(kSize);
  Job job = job_with(Op::write);
  job.workload.ios = 4;
  const auto message = [&] {
    FakeContext context(file, "dd");
    const auto loop = run(job, context);
    return loop ? std::to_string(loop->write->bytes) : loop.error().message;
  };
  dd.put("stderr", "0 Bytes kopiert, 9,99 s, 123 XB/s\n");
  CHECK(message() == "262144");
  dd.put("take", "1000");
  CHECK(message() == "dd took 1000 of 262144 bytes: 0 Bytes kopiert, 9,99 s, 123 XB/s");
  dd.put("stderr", "dd: error writing 'x': No space left on device\n2+0 records in\n");
  dd.put("rc", "1");
  CHECK(message() ==
        "dd exited with status 1: dd: error writing 'x': No space left on device (ENOSPC)");
}

TEST_CASE("A read that ends before the file should is a failure", "[dd][child]") {
  const OtherDd dd(OtherDd::Kind::fake);
  const WorkFile file(kSize / 2);
  FakeContext context(file, "dd");
  Job job = job_with(Op::read);
  const auto loop = run(job, context);
  REQUIRE_FALSE(loop);
  CHECK(loop.error().message == "the test file ends at 2097152 bytes; it should reach 4194304");
}

TEST_CASE("A dd that ignores the stop signal is killed", "[dd][child]") {
  const OtherDd dd(OtherDd::Kind::fake);
  dd.put("hang", "");
  const WorkFile file(kSize);
  FakeContext context(file, "dd");
  context.cancel = [&dd] { return !dd.left("argv").empty(); };
  const auto loop = run(job_with(Op::read), context);
  REQUIRE_FALSE(loop);
  CHECK(loop.error().code == ErrorCode::cancelled);
  CHECK(loop.error().message == "dd was stopped before it had copied anything");
}

TEST_CASE("A cancelled dd gives its whole chunks", "[dd][real]") {
  const WorkFile file(kSize);
  FakeContext context(file, "dd");
  Job job = job_with(Op::write);
  job.workload.runtime_ns = 60 * kSecond;
  job.workload.end_fsync = true;
  context.cancel = [&context] { return context.samples.size() > 3; };
  const auto loop = run(job, context);
  REQUIRE(loop);
  check_sound(*loop, *loop->write);
  CHECK(loop->write->elapsed_ns < 50 * kSecond);
  CHECK_FALSE(loop->end_fsync_ns);
  CHECK(loop->notes == std::vector<std::string>{"interrupted before the final fsync"});
}

TEST_CASE("dd's own words are there for --verbose, of failures too", "[dd][child]") {
  const OtherDd dd(OtherDd::Kind::fake);
  const WorkFile file(kSize);
  FakeContext context(file, "dd");
  Job job = job_with(Op::write);
  job.workload.ios = 1;
  dd.put("stderr", "1+0 records in\n");
  REQUIRE(run(job, context));
  CHECK(context.said == "1+0 records in\n");
  dd.put("stderr", "dd: no\n");
  dd.put("rc", "1");
  REQUIRE_FALSE(run(job, context));
  CHECK(context.said == "1+0 records in\ndd: no\n");
}

TEST_CASE("Many short chunks of dd make at most ten samples a second", "[dd][child]") {
  const OtherDd dd(OtherDd::Kind::fake);
  const WorkFile file(kSize);
  FakeContext context(file, "dd");
  Job job = job_with(Op::read);
  job.workload.runtime_ns = 500 * kMillisecond;
  const auto loop = run(job, context);
  REQUIRE(loop);
  check_sound(*loop, *loop->read);
  std::uint64_t before = 0;
  for (const Progress& sample : context.samples) {
    CHECK(sample.elapsed_ns >= before + 100 * kMillisecond);
    before = sample.elapsed_ns;
  }
  CHECK(before > 0);
}

TEST_CASE("dd refuses in the run, too, what it cannot do", "[dd][child]") {
  const OtherDd dd(OtherDd::Kind::fake);
  const WorkFile file(kSize);
  FakeContext context(file, "dd");
  const auto mixed = run(job_with(Op::mixed), context);
  REQUIRE_FALSE(mixed);
  CHECK(mixed.error().message == "dd cannot mix reads and writes");
  context.has_scratch = false;
  const auto homeless = run(job_with(Op::read), context);
  REQUIRE_FALSE(homeless);
  CHECK(homeless.error().message ==
        "there is no folder for temporary files; set TMPDIR to one that can be written");
  CHECK(dd.left("argv").empty());
}
