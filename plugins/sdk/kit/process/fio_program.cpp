#include "kit/process/fio_program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kit/process/child.hpp"
#include "kit/process/fio_command.hpp"
#include "kit/process/program.hpp"
#include "sthd/text.hpp"

namespace sthd::process {
namespace {

constexpr std::uint64_t kMostFioJobs = 4096;  // fio's own limit
constexpr std::uint64_t kVersionDeadline = 5 * kSecond;
constexpr std::uint64_t kSampleEvery = 100 * kMillisecond;
constexpr std::pair kOldest{2U, 99U};
constexpr double kPatience = 120;      // seconds beyond the time asked for
constexpr double kSlowestWrite = 4e6;  // bytes a second of the slowest device worth waiting for
constexpr double kSlowestIo = 0.1;     // seconds, where no time was asked for

Error refusal(std::string message) { return {ErrorCode::unavailable, std::move(message), 0}; }

}  // namespace

Outcome<FioProgram> find_fio() {
  auto path = find_program("fio");
  if (!path) return path.error();
  Command command;
  command.executable = *path;
  command.arguments = {"--version"};
  command.deadline_ns = kVersionDeadline;
  auto ended = run(command);
  if (!ended) return ended.error();
  const std::string shown = display(*path);
  if (!ended->succeeded()) {
    return refusal(fmt::format("{} --version {}", shown, describe_end(*ended)));
  }
  const auto version = fio_version(ended->output);
  if (!version) {
    return refusal(fmt::format("{} is not fio: its version does not begin with \"fio-\"", shown));
  }
  if (version->number && *version->number < kOldest) {
    return refusal(fmt::format("{} is {}, which is too old; install fio 2.99 or newer", shown,
                               display(version->text)));
  }
  const bool confined = path->starts_with("/snap/") || path->starts_with("/var/lib/flatpak/");
  return FioProgram{*path, display(version->text), confined};
}

std::string fio_objection(const Workload& w, std::string_view engine) {
  if (w.rate_iops > 0) {
    return "fio measures no response time from the moment an I/O was due; leave rate_iops to a "
           "built-in engine";
  }
  if ((w.poll || w.sqpoll) && engine != "io_uring") {
    return fmt::format("fio's {} cannot do {}, which is io_uring's", engine,
                       w.poll ? "poll" : "sqpoll");
  }
  if (w.distribution == Distribution::zipf && w.pattern == Pattern::random && w.zipf_theta == 1) {
    return "fio has no zipf distribution with a theta of exactly 1; use zipf:1.01";
  }
  const std::uint64_t jobs = fio_jobs(w, engine);
  if (jobs > kMostFioJobs) {
    return fmt::format("queue depth {} x {} threads needs {} fio jobs; fio allows {}",
                       w.queue_depth, w.threads, jobs, kMostFioJobs);
  }
  if (w.layout == Layout::none) {
    return "fio needs the test file at its full size; use layout = \"full\"";
  }
  if (w.region == Region::shared && w.pattern == Pattern::sequential && jobs > 1) {
    return "fio's threads cannot share one sequential position; use region = \"own\" or \"same\"";
  }
  if (const std::uint64_t ios = limit_in_ios(w); ios % jobs != 0) {
    return fmt::format("{} I/Os cannot be shared out evenly among {} fio jobs", ios, jobs);
  }
  if (limit_in_ios(w) > 0 && w.ramp_ns > 0) {
    return "fio counts the ramp's I/Os against a limit of ios or bytes; use --ramp 0";
  }
  return {};
}

Capability fio_capability(const FioProgram& fio, const Workload& w, std::string_view engine) {
  const std::uint64_t jobs = fio_jobs(w, engine);
  Capability found;
  found.version = fio.version;
  found.queue_depth_effective = w.queue_depth;
  found.workers = static_cast<std::uint32_t>(jobs);
  if (jobs > w.threads) found.note = fmt::format("queue depth served by {} OS threads", jobs);
  if (engine == "posixaio" && w.queue_depth > 1) {
    found.queue_depth_effective = 1;
    found.note = "POSIX AIO of glibc serves the requests of one open file one at a time";
  }
  return found;
}

std::uint64_t fio_deadline(const Workload& w) {
  const auto seconds = [](std::uint64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(kSecond);
  };
  double most = seconds(w.ramp_ns) + seconds(w.runtime_ns) + kPatience;
  if (w.op != Op::read) most += static_cast<double>(w.size) / kSlowestWrite;
  if (w.runtime_ns == 0) {
    const auto ios = static_cast<double>(limit_in_ios(w));
    most += ios * (kSlowestIo + static_cast<double>(w.block_size) / kSlowestWrite);
  }
  const double longest = 100 * seconds(kMaxDuration);
  return static_cast<std::uint64_t>(std::min(most, longest) * static_cast<double>(kSecond));
}

FioProgress::FioProgress(const Workload& workload, RunContext& context, std::uint64_t start_ns)
    : context_(context),
      ramp_(workload.ramp_ns > 0),
      runtime_ns_(workload.runtime_ns),
      measure_ns_(start_ns + workload.ramp_ns) {
  tell(ramp_ ? Phase::ramp : Phase::measure);
}

void FioProgress::line(std::string_view text, std::uint64_t now_ns) {
  if (now_ns < measure_ns_ || !text.starts_with("Jobs: ")) return;
  const auto rates = fio_rates(text);
  const bool begun = last_line_ns_ != 0;
  std::uint64_t window = begun ? now_ns - last_line_ns_ : 0;
  if (runtime_ns_ > 0) window = std::min(window, runtime_ns_ - counted_ns_);
  // The first rates after a ramp are of a second that straddles its end: they count for nothing.
  if (begun || rates || !ramp_) last_line_ns_ = now_ns;
  if (!begun || !rates || window == 0) return;
  const double seconds = static_cast<double>(window) / static_cast<double>(kSecond);
  counted_ns_ += window;
  ios_ += rates->ios_per_s * seconds;
  bytes_ += rates->bytes_per_s * seconds;
  if (last_sample_ns_ != 0 && now_ns - last_sample_ns_ < kSampleEvery) return;
  last_sample_ns_ = now_ns;
  Progress progress;
  progress.elapsed_ns = counted_ns_;
  progress.ios = static_cast<std::uint64_t>(ios_);
  progress.bytes = static_cast<std::uint64_t>(bytes_);
  context_.sample(progress);
}

bool FioProgress::tick(std::uint64_t now_ns) {
  if (now_ns >= measure_ns_) tell(Phase::measure);
  return context_.cancelled();
}

void FioProgress::tell(Phase phase) {
  if (phase == told_) return;
  told_ = phase;
  context_.phase(phase);
}

}  // namespace sthd::process
