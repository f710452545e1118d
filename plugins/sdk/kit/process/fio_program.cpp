#include "kit/process/fio_program.hpp"

#include <fmt/format.h>

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

FioProgress::FioProgress(const Workload& workload, RunContext& context)
    : context_(context), measure_ns_(monotonic_ns() + workload.ramp_ns), last_ns_(measure_ns_) {
  tell(workload.ramp_ns > 0 ? Phase::ramp : Phase::measure);
}

void FioProgress::line(std::string_view text) {
  const auto rates = fio_rates(text);
  if (!rates) return;
  if (!known_) {  // the first line comes after a second: take the time before it to be alike
    const double seconds =
        static_cast<double>(last_ns_ - measure_ns_) / static_cast<double>(kSecond);
    ios_ = rates->ios_per_s * seconds;
    bytes_ = rates->bytes_per_s * seconds;
  }
  known_ = true;
  rates_ = *rates;
}

bool FioProgress::tick() {
  const std::uint64_t now = monotonic_ns();
  if (now >= measure_ns_) tell(Phase::measure);
  if (now >= last_ns_ + kSampleEvery) {
    const double seconds = static_cast<double>(now - last_ns_) / static_cast<double>(kSecond);
    ios_ += rates_.ios_per_s * seconds;
    bytes_ += rates_.bytes_per_s * seconds;
    last_ns_ = now;
    context_.sample(
        {now - measure_ns_, static_cast<std::uint64_t>(ios_), static_cast<std::uint64_t>(bytes_)});
  }
  return context_.cancelled();
}

void FioProgress::tell(Phase phase) {
  if (phase == told_) return;
  told_ = phase;
  context_.phase(phase);
}

}  // namespace sthd::process
