#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "kit/process/child.hpp"
#include "kit/process/fio_command.hpp"
#include "kit/process/program.hpp"
#include "kit/process/source.hpp"
#include "sthd/abi.hpp"
#include "sthd/text.hpp"

namespace {

using namespace sthd;

constexpr std::uint64_t kProbeDeadline = 15 * kSecond;
constexpr std::uint64_t kFirstChunk = kMiB;               // until the speed is known
constexpr std::uint64_t kChunkTime = 500 * kMillisecond;  // what a chunk should take
constexpr std::uint64_t kGrowth = 8;                      // most from one chunk to the next
constexpr std::uint64_t kSampleEvery = 100 * kMillisecond;

Error refusal(std::string message) { return {ErrorCode::unavailable, std::move(message), 0}; }

/// How one dd is to be called.
struct Call {
  std::string program;
  std::string path;  ///< of the test file
  std::string scratch;
  Op op = Op::read;
  SyncMode sync = SyncMode::none;
  bool direct = false;
  std::uint64_t block_size = 0;
};

/// Copies `blocks` blocks at block `at` and makes sure that they were all copied. What dd prints is
/// for people and depends on its dialect: only its exit status and our own count decide. `context`
/// is that of the job, if there is one: it gets dd's words.
Outcome<process::Ended> copy(const Call& call, process::Source& source, std::uint64_t at,
                             std::uint64_t blocks, RunContext* context,
                             std::uint64_t deadline_ns = 0) {
  const bool writing = call.op == Op::write;
  const std::uint64_t bytes = blocks * call.block_size;
  process::Command command;
  command.executable = call.program;
  command.scratch = call.scratch;
  if (context != nullptr) command.cancelled = [context] { return context->cancelled(); };
  command.deadline_ns = deadline_ns;
  command.arguments = {fmt::format("bs={}", call.block_size), fmt::format("count={}", blocks)};
  auto& arguments = command.arguments;
  std::uint64_t left = bytes;
  if (writing) {
    arguments.insert(arguments.end(), {"of=" + call.path, fmt::format("seek={}", at),
                                       "conv=notrunc", "iflag=fullblock"});
    std::string flags = call.direct ? "direct" : "";
    if (call.sync == SyncMode::o_sync) flags += flags.empty() ? "sync" : ",sync";
    if (call.sync == SyncMode::o_dsync) flags += flags.empty() ? "dsync" : ",dsync";
    if (!flags.empty()) arguments.push_back("oflag=" + flags);
    command.feed = [&source, &left] { return source.next(left); };
  } else {
    arguments.insert(arguments.end(),
                     {"if=" + call.path, "of=/dev/null", fmt::format("skip={}", at)});
    if (call.direct) arguments.emplace_back("iflag=direct");
  }
  auto ended = process::run(command);
  if (ended && context != nullptr && !ended->errors.empty()) context->raw(ended->errors);
  if (!ended || ended->cancelled) return ended;
  const bool whole = ended->succeeded() && (!writing || ended->fed == bytes);
  if (whole) return ended;
  const int code = process::errno_in(ended->errors);
  std::string message = fmt::format(
      "dd {}", ended->succeeded() ? fmt::format("took {} of {} bytes", ended->fed, bytes)
                                  : process::describe_end(*ended));
  const auto line = std::string_view(ended->errors).substr(0, ended->errors.find('\n'));
  if (!line.empty()) message += ": " + display(line.substr(0, 300));
  if (code != 0) message += fmt::format(" ({})", ::strerrorname_np(code));
  return Error{ErrorCode::failed, std::move(message), code};
}

/// One loop of a job: chunk after chunk through the file's front, round and round.
class Run {
 public:
  Run(const Job& job, RunContext& context, Call call)
      : workload_(job.workload),
        context_(context),
        call_(std::move(call)),
        source_(workload_.buffer),
        blocks_(workload_.size / workload_.block_size),
        limit_(limit_in_ios(workload_)),
        largest_(std::max<std::uint64_t>(kFirstChunk / workload_.block_size, 1)) {}

  Outcome<LoopResult> run() {
    if (workload_.ramp_ns > 0) {
      context_.phase(Phase::ramp);
      start_ns_ = process::monotonic_ns();
      while (!over(workload_.ramp_ns)) {
        if (auto done = step(workload_.ramp_ns, 0); !done) return done.error();
      }
    }
    cpu_ = {0, 0, 0, 0};
    done_blocks_ = 0;
    noted_ = {};
    samples_.clear();
    context_.phase(Phase::measure);
    start_ns_ = end_ns_ = process::monotonic_ns();
    while (!over(workload_.runtime_ns) && (limit_ == 0 || done_blocks_ < limit_)) {
      if (auto done = step(workload_.runtime_ns, limit_); !done) return done.error();
    }
    return finish();
  }

 private:
  [[nodiscard]] bool over(std::uint64_t window_ns) const {
    return stopped_ || (window_ns > 0 && process::monotonic_ns() - start_ns_ >= window_ns);
  }

  /// Blocks of the next chunk: as many as take half a second, within what is left of the region, of
  /// the limit and of the window.
  [[nodiscard]] std::uint64_t next_chunk(std::uint64_t window_ns, std::uint64_t limit) const {
    const std::uint64_t elapsed = process::monotonic_ns() - start_ns_;
    const std::uint64_t left_ns = window_ns > elapsed ? window_ns - elapsed : kChunkTime;
    const double fits = speed_ * static_cast<double>(std::min(left_ns, kChunkTime));
    std::uint64_t blocks = std::min(blocks_ - at_, largest_ * kGrowth);
    if (limit > 0) blocks = std::min(blocks, limit - done_blocks_);
    if (speed_ == 0) blocks = std::min(blocks, largest_);
    if (speed_ > 0 && fits < static_cast<double>(blocks)) blocks = static_cast<std::uint64_t>(fits);
    return std::max<std::uint64_t>(blocks, 1);
  }

  Outcome<Done> step(std::uint64_t window_ns, std::uint64_t limit) {
    const std::uint64_t blocks = next_chunk(window_ns, limit);
    const std::uint64_t before = process::monotonic_ns();
    auto ended = copy(call_, source_, at_, blocks, &context_);
    if (!ended) return ended.error();
    cpu_ += ended->cpu;
    if (ended->cancelled) {  // nobody knows how much of this chunk was done
      stopped_ = true;
      return Done{};
    }
    if (auto whole = file_reaches((at_ + blocks) * workload_.block_size); !whole) {
      return whole.error();
    }
    at_ = (at_ + blocks) % blocks_;
    written_ += blocks;
    const bool cached = !context_.resolution().direct_effective.value_or(false);
    if (call_.op == Op::write && workload_.sync == SyncMode::none && cached &&
        written_ >= blocks_) {
      // A small file rewritten in RAM would report the RAM.
      if (::fdatasync(context_.fd()) != 0) return system_error("fdatasync", errno);
      written_ = 0;
    }
    end_ns_ = process::monotonic_ns();
    done_blocks_ += blocks;
    speed_ = static_cast<double>(blocks) / static_cast<double>(end_ns_ - before);
    largest_ = std::max(largest_, blocks);
    const std::uint64_t slice_ns = std::max(workload_.sample_ns, kSampleEvery);
    if (end_ns_ - start_ns_ >= noted_.elapsed_ns + slice_ns) note();
    return Done{};
  }

  [[nodiscard]] Outcome<Done> file_reaches(std::uint64_t bytes) const {
    const std::uint64_t size = process::file_size(context_.fd());
    if (size >= bytes) return Done{};
    return Error{ErrorCode::failed,
                 fmt::format("the test file ends at {} bytes; it should reach {}", size, bytes), 0};
  }

  /// All that was copied since the last call; the runner hears of whole slices only.
  void note() {
    const Progress now{.elapsed_ns = end_ns_ - start_ns_,
                       .ios = done_blocks_,
                       .bytes = done_blocks_ * workload_.block_size};
    samples_.push_back(
        {.at_ns = now.elapsed_ns, .ios = now.ios - noted_.ios, .bytes = now.bytes - noted_.bytes});
    if (now.elapsed_ns >= noted_.elapsed_ns + kSampleEvery) context_.sample(now);
    noted_ = now;
    coarsen(samples_);
  }

  Outcome<LoopResult> finish() {
    if (done_blocks_ == 0) {
      return Error{ErrorCode::cancelled, "dd was stopped before it had copied anything", 0};
    }
    if (done_blocks_ > noted_.ios) note();
    LoopResult loop;
    const bool flush = workload_.end_fsync && call_.op == Op::write;
    if (flush && stopped_) loop.notes.emplace_back("interrupted before the final fsync");
    if (flush && !stopped_) {
      context_.phase(Phase::end_fsync);
      const std::uint64_t before = process::monotonic_ns();
      if (::fsync(context_.fd()) != 0) return system_error("the final fsync", errno);
      end_ns_ = process::monotonic_ns();
      loop.end_fsync_ns = end_ns_ - before;
    }
    context_.phase(Phase::close);
    OpResult result;
    result.ios = done_blocks_;
    result.bytes = done_blocks_ * workload_.block_size;
    result.elapsed_ns = end_ns_ - start_ns_;
    result.samples = std::move(samples_);
    loop.per_thread.push_back({.op = call_.op,
                               .bytes = result.bytes,
                               .ios = result.ios,
                               .elapsed_ns = result.elapsed_ns});
    loop.cpu = cpu_;
    (call_.op == Op::read ? loop.read : loop.write) = std::move(result);
    return loop;
  }

  const Workload& workload_;
  RunContext& context_;
  Call call_;
  process::Source source_;
  std::uint64_t blocks_;           // of the region
  std::uint64_t limit_;            // in blocks; 0 = none
  std::uint64_t largest_;          // chunk so far, in blocks
  std::uint64_t at_ = 0;           // block where it begins
  std::uint64_t written_ = 0;      // blocks since the last flush
  std::uint64_t done_blocks_ = 0;  // in the window
  std::uint64_t start_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  Progress noted_;  // what the samples hold
  std::vector<Sample> samples_;
  double speed_ = 0;  // blocks per ns of the last chunk; 0 = not known yet
  CpuUse cpu_;
  bool stopped_ = false;
};

/// The dd program, whoever made it: its flags are tried, not assumed.
class Dd final : public BackendPlugin {
  BackendInfo describe() const override { return {.engines = {"dd"}, .native = false}; }

  static std::string objection(const Workload& w) {
    if (w.op == Op::mixed) return "dd cannot mix reads and writes";
    if (w.pattern != Pattern::sequential) return "dd does sequential I/O only";
    if (w.queue_depth != 1 || w.threads != 1) {
      return fmt::format("dd has queue depth 1 and one thread; asked are {} and {}", w.queue_depth,
                         w.threads);
    }
    if (w.op == Op::write && (w.sync == SyncMode::fsync || w.sync == SyncMode::fdatasync)) {
      return fmt::format("dd cannot call {} after each write; use sync = \"o_sync\" or \"o_dsync\"",
                         to_text(w.sync));
    }
    if (w.size % w.block_size != 0) {
      return fmt::format("dd copies whole blocks; size {} is no multiple of {}", human_size(w.size),
                         human_size(w.block_size));
    }
    return {};
  }

  static Call call_for(const Workload& w, std::string program, std::string path, bool direct) {
    Call call;
    call.program = std::move(program);
    call.path = std::move(path);
    call.op = w.op;
    call.sync = w.sync;
    call.direct = direct;
    call.block_size = w.block_size;
    return call;
  }

  Outcome<Capability> try_engine(const ProbeRequest& request) override {
    const Workload& w = request.job.workload;
    if (auto why = objection(w); !why.empty()) return refusal(std::move(why));
    auto dd = process::find_program("dd");
    if (!dd) return dd.error();
    const Job one = process::one_io_of(request.job, "dd", process::file_size(request.fd));
    if (one.workload.block_size == 0) return refusal("the test file is too small for one block");
    const process::ScratchDirectory scratch;
    Call call = call_for(one.workload, *dd, request.path, request.direct);
    call.scratch = scratch.path();
    process::Source source(w.buffer);
    if (auto tried = copy(call, source, 0, 1, nullptr, kProbeDeadline); !tried) {
      Error why = tried.error();
      why.code = ErrorCode::unavailable;
      return why;
    }
    Capability found;
    found.version = version(*dd, scratch.path());
    return found;
  }

  /// "dd (coreutils) 9.1", "BusyBox v1.35.0"; "dd" when it does not say.
  static std::string version(const std::string& dd, const std::string& scratch) {
    process::Command command;
    command.executable = dd;
    command.arguments = {"--version"};
    command.scratch = scratch;
    command.deadline_ns = kProbeDeadline;
    const auto ended = process::run(command);
    if (!ended) return "dd";
    for (const std::string_view text : {ended->output, ended->errors}) {
      const std::string_view line = text.substr(0, text.find('\n'));
      for (const std::string_view maker : {"coreutils", "uutils", "BusyBox", "toybox"}) {
        if (line.find(maker) == std::string_view::npos) continue;
        return display(line.substr(0, std::min(line.find(" (Debian"), line.find(" multi-call"))));
      }
    }
    return "dd";
  }

  Outcome<LoopResult> execute(const Job& job, RunContext& context) override {
    context.phase(Phase::prepare);
    // The probe may have been of another job with the same I/O.
    if (auto why = objection(job.workload); !why.empty()) return refusal(std::move(why));
    auto scratch = process::scratch_of(context);
    if (!scratch) return scratch.error();
    auto dd = process::find_program("dd");
    if (!dd) return dd.error();
    const bool direct = (::fcntl(context.fd(), F_GETFL) & O_DIRECT) != 0;
    Call call = call_for(job.workload, *dd, std::string(context.path()), direct);
    call.scratch = std::move(scratch).value();
    return Run(job, context, std::move(call)).run();
  }
};

}  // namespace

STHD_BACKEND_PLUGIN(Dd, "dd", "the dd program: sequential reads and writes, no latencies")
