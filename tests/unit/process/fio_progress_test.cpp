#include "kit/process/fio_program.hpp"
#include "support/catch.hpp"
#include "support/fake_context.hpp"

using namespace sthd;
using namespace sthd::test;
using process::FioProgress;

namespace {

constexpr std::uint64_t kStart = 1000 * kSecond;
constexpr std::string_view kStarting = "Jobs: 1 (f=1)";
constexpr std::string_view kAt300 =
    "Jobs: 1 (f=1): [R(1)][12.5%][r=300MB/s][r=1000 IOPS][eta 00m:35s]";

/// A job's progress with a clock that the test moves; times in ms from the start.
class Course {
 public:
  explicit Course(std::uint64_t runtime_ms, std::uint64_t ramp_ms = 0)
      : file_(kMiB),
        context_(file_, "psync"),
        progress_(workload(runtime_ms, ramp_ms), context_, kStart) {}
  void line(std::uint64_t at_ms, std::string_view text) {
    progress_.line(text, kStart + at_ms * kMillisecond);
  }
  bool tick(std::uint64_t at_ms) { return progress_.tick(kStart + at_ms * kMillisecond); }
  /// "1000 ms 1000 ios 300000000 bytes;" of each sample.
  [[nodiscard]] std::string samples() const {
    std::string text;
    for (const Progress& sample : context_.samples) {
      text += std::to_string(sample.elapsed_ns / kMillisecond) + " ms " +
              std::to_string(sample.ios) + " ios " + std::to_string(sample.bytes) + " bytes;";
    }
    return text;
  }
  [[nodiscard]] const std::vector<Phase>& phases() const { return context_.phases; }
  void cancel() {
    context_.cancel = [] { return true; };
  }

 private:
  static Workload workload(std::uint64_t runtime_ms, std::uint64_t ramp_ms) {
    Workload w;
    w.runtime_ns = runtime_ms * kMillisecond;
    w.ramp_ns = ramp_ms * kMillisecond;
    return w;
  }
  WorkFile file_;
  FakeContext context_;
  FioProgress progress_;
};

}  // namespace

TEST_CASE("Totals grow by each line's rate since the line before", "[process][fio_progress]") {
  Course course(8000);
  for (std::uint64_t ms = 0; ms <= 1200; ms += 50) CHECK_FALSE(course.tick(ms));
  course.line(1200, kStarting);
  CHECK(course.samples().empty());  // no rate is known yet
  course.line(2200, kAt300);
  course.line(3700, kAt300);
  CHECK(course.samples() == "1000 ms 1000 ios 300000000 bytes;2500 ms 2500 ios 750000000 bytes;");
  CHECK(course.phases() == std::vector<Phase>{Phase::measure});
}

TEST_CASE("A fio that falls silent makes nothing move", "[process][fio_progress]") {
  Course course(8000);
  course.line(1000, kStarting);
  course.line(2000, kAt300);
  const std::string before = course.samples();
  CHECK(before == "1000 ms 1000 ios 300000000 bytes;");
  for (std::uint64_t ms = 2000; ms <= 100'000; ms += 50) course.tick(ms);
  CHECK(course.samples() == before);
}

TEST_CASE("A fio whose I/O hangs moves nothing", "[process][fio_progress]") {
  Course course(8000);
  course.line(1000, kStarting);
  course.line(2000, kAt300);
  course.line(3000, "Jobs: 1 (f=1): [R(1)][12.5%][r=0B/s][r=0 IOPS][eta 00m:35s]");
  course.line(4000, "Jobs: 1 (f=1): [R(1)][12.5%][eta 00m:35s]");
  CHECK(course.samples() == "1000 ms 1000 ios 300000000 bytes;2000 ms 1000 ios 300000000 bytes;");
}

TEST_CASE("No total goes beyond the runtime", "[process][fio_progress]") {
  Course course(1500);
  course.line(1000, kStarting);
  course.line(2000, kAt300);
  course.line(99'000, kAt300);
  course.line(100'000, kAt300);
  CHECK(course.samples() == "1000 ms 1000 ios 300000000 bytes;1500 ms 1500 ios 450000000 bytes;");
}

TEST_CASE("Rates of the ramp and across its end count for nothing", "[process][fio_progress]") {
  Course course(8000, 2000);
  CHECK_FALSE(course.tick(1999));
  course.line(1500, kAt300);
  course.line(2200, "Jobs: 1 (f=0): [/(1)][-.-%][eta 00m:04s]");
  course.line(2500, "Jobs: 1 (f=1): [R(1)][50.0%][r=31.8MB/s][r=508 IOPS][eta 00m:03s]");
  CHECK(course.samples().empty());
  course.line(3500, kAt300);
  CHECK(course.samples() == "1000 ms 1000 ios 300000000 bytes;");
  CHECK_FALSE(course.tick(3500));
  CHECK(course.phases() == std::vector<Phase>{Phase::ramp, Phase::measure});
}

TEST_CASE("Lines in quick succession make ten samples a second", "[process][fio_progress]") {
  Course course(0);
  course.line(1000, kStarting);
  for (std::uint64_t ms = 1010; ms <= 1200; ms += 10) course.line(ms, kAt300);
  CHECK(course.samples() == "10 ms 10 ios 3000000 bytes;110 ms 110 ios 33000000 bytes;");
}

TEST_CASE("What is no status line of fio is passed over", "[process][fio_progress]") {
  Course course(8000);
  course.line(1000, "[r=300MB/s][r=1000 IOPS]");
  course.line(2000, "[r=300MB/s][r=1000 IOPS]");
  CHECK(course.samples().empty());
  CHECK_FALSE(course.tick(2000));
  course.cancel();
  CHECK(course.tick(2000));
}

TEST_CASE("fio has all the time it can need, and not more", "[process][fio_progress]") {
  Workload w;
  w.runtime_ns = 8 * kSecond;
  w.ramp_ns = 2 * kSecond;
  w.size = 400'000'000;
  CHECK(process::fio_deadline(w) == 130 * kSecond);
  w.op = Op::write;
  CHECK(process::fio_deadline(w) == 230 * kSecond);
  w.runtime_ns = w.ramp_ns = 0;
  w.block_size = 4'000'000;
  w.ios = 50;
  CHECK(process::fio_deadline(w) == (220 + 55) * kSecond);
  w.ios = kMaxBytes;
  CHECK(process::fio_deadline(w) <= 100 * kMaxDuration);
  CHECK(process::fio_deadline(w) >= kMaxDuration);
}
