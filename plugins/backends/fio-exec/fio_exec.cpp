#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "kit/process/child.hpp"
#include "kit/process/fio_command.hpp"
#include "kit/process/fio_program.hpp"
#include "kit/process/fio_text.hpp"
#include "kit/process/program.hpp"
#include "sthd/abi.hpp"

namespace {

using nlohmann::json;
using namespace sthd;

constexpr std::uint64_t kMostEntries = 64;        // above, fio sums up its threads itself
constexpr std::size_t kMostOutput = 64ULL << 20;  // bytes of fio's report that are read
constexpr std::uint64_t kProbeDeadline = 15 * kSecond;

Error refusal(std::string message) { return {ErrorCode::unavailable, std::move(message), 0}; }

/// What a run of fio was to do, to hold its report against.
struct Asked {
  const Job& job;
  std::uint64_t jobs = 1;
  std::uint64_t entries = 1;  ///< in "jobs" of the JSON
};

/// One complete report of fio as a LoopResult. fio counts time in whole milliseconds, so elapsed
/// times are multiples of 1 ms, and at least one.
class ReportReader {
 public:
  ReportReader(const Asked& asked, const json& document) : asked_(asked), document_(document) {}

  LoopResult read() {
    std::uint64_t index = 0;
    for (const auto& entry : document_.at("jobs")) read_job(entry, index++);
    if (asked_.entries < asked_.jobs) loop_.per_thread.clear();  // fio has added the threads up
    loop_.cpu = cpu_;
    if (no_bins_) loop_.notes.emplace_back("this fio reports no latency histogram");
    return std::move(loop_);
  }

  /// A whole number up to `most`; throws where there is none.
  static std::uint64_t count(const json& object, const char* key, std::uint64_t most = kMaxBytes) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_unsigned() ||
        found->get<std::uint64_t>() > most) {
      throw std::runtime_error(fmt::format("its JSON has no usable \"{}\"", key));
    }
    return found->get<std::uint64_t>();
  }
  static std::uint64_t milliseconds(const json& direction) {
    return count(direction, "runtime", kMaxDuration / kMillisecond);
  }

 private:
  static double decimal(const json& object, const char* key) {
    const double value = object.value(key, 0.0);
    return std::isfinite(value) && value >= 0 ? value : 0;
  }

  /// A json+ latency object; count 0 when it has no bins.
  static LatencyHistogram histogram(const json& direction, const char* key) {
    LatencyHistogram result;
    const auto object = direction.find(key);
    if (object == direction.end() || !object->contains("bins")) return result;
    for (const auto& [text, n] : object->at("bins").items()) {
      std::uint64_t ns = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), ns);
      if (read.ec != std::errc{} || *read.ptr != '\0' || !n.is_number_unsigned()) {
        throw std::runtime_error(fmt::format("its JSON has a broken bin in \"{}\"", key));
      }
      result.add_binned(ns, n.get<std::uint64_t>());
    }
    const double sum = decimal(*object, "mean") * static_cast<double>(result.count());
    result.set_exact(count(*object, "min"), count(*object, "max"),
                     static_cast<std::uint64_t>(std::llround(sum)));
    return result;
  }

  static void merge(std::optional<LatencyHistogram>& into, const LatencyHistogram& more) {
    if (more.count() == 0) return;
    if (!into) into.emplace();
    into->merge(more);
  }

  void read_job(const json& entry, std::uint64_t index) {
    const Op op = asked_.job.workload.op;
    const auto thread = static_cast<std::uint32_t>(index * asked_.job.workload.threads /
                                                   std::max<std::uint64_t>(asked_.entries, 1));
    if (op != Op::write) read_direction(entry, "read", Op::read, thread, loop_.read);
    if (op != Op::read) {
      read_direction(entry, "write", Op::write, thread, loop_.write);
      if (entry.contains("sync")) merge(loop_.write->sync, histogram(entry.at("sync"), "lat_ns"));
    }
    // Percent of the job's own run time; under group_reporting of the threads' summed run time.
    const double ns_per_percent =
        static_cast<double>(entry.contains("job_runtime") ? count(entry, "job_runtime") : 0) * 1e4;
    cpu_.user_ns += static_cast<std::uint64_t>(decimal(entry, "usr_cpu") * ns_per_percent);
    cpu_.system_ns += static_cast<std::uint64_t>(decimal(entry, "sys_cpu") * ns_per_percent);
  }

  void read_direction(const json& entry, const char* key, Op op, std::uint32_t thread,
                      std::optional<OpResult>& into) {
    const json& direction = entry.at(key);
    if (!into) into.emplace();
    const std::uint64_t block = asked_.job.workload.block_size;
    std::uint64_t ios = count(direction, "io_bytes") / block;
    const LatencyHistogram clat = histogram(direction, "clat_ns");
    LatencyHistogram lat = histogram(direction, "lat_ns");
    if (lat.count() == 0) lat = clat;  // fio before 3.18 has but one of them
    if (lat.count() > 0) {
      // I/Os in flight at the end of the ramp are in the bytes or in the histogram, not always in
      // both. The histogram has every completion of the window once.
      const std::uint64_t apart = std::max(ios, lat.count()) - std::min(ios, lat.count());
      if (apart > asked_.jobs * (asked_.job.workload.queue_depth + std::uint64_t{1})) {
        throw std::runtime_error(
            fmt::format("its histogram holds {} of {} I/Os", lat.count(), ios));
      }
      ios = lat.count();
    }
    no_bins_ = no_bins_ || (lat.count() == 0 && ios > 0);
    const std::uint64_t elapsed =
        std::max<std::uint64_t>(milliseconds(direction), ios > 0 ? 1 : 0) * kMillisecond;
    into->lat.merge(lat);
    merge(into->clat, clat);
    merge(into->slat, histogram(direction, "slat_ns"));
    into->ios += ios;
    into->bytes += ios * block;
    into->elapsed_ns = std::max(into->elapsed_ns, elapsed);
    // Threads come in order, and the directions of a mixed job alternate.
    auto& all = loop_.per_thread;
    const std::size_t directions = asked_.job.workload.op == Op::mixed ? 2 : 1;
    const std::size_t slot = thread * directions + (directions == 2 && op == Op::write ? 1 : 0);
    if (slot >= all.size()) {
      all.emplace_back().thread = thread;
      all.back().op = op;
    }
    all[slot].ios += ios;
    all[slot].bytes += ios * block;
    all[slot].elapsed_ns = std::max(all[slot].elapsed_ns, elapsed);
  }

  const Asked& asked_;
  const json& document_;
  LoopResult loop_;
  CpuUse cpu_;  // without switches: fio's "ctx" is one sum of both kinds
  bool no_bins_ = false;
};

/// Decides whether a run of fio counts. fio's exit status alone says little: it is a number of
/// failed jobs, 0 after a worker's crash, and 0 with nothing done. One doubt is a failure.
class Judge {
 public:
  Judge(const Asked& asked, const process::Ended& ended, std::string_view report)
      : asked_(asked), ended_(ended), output_(process::split_fio_output(report)) {
    said_ = output_.around + ended.errors;
  }

  [[nodiscard]] const std::string& said() const { return said_; }

  Outcome<LoopResult> verdict() {
    if (ended_.late) return failed(process::describe_end(ended_));
    if (ended_.signal != 0 && !ended_.cancelled) {
      const char* hint = ended_.signal == SIGBUS ? " (is the temporary folder full?)" : "";
      const bool done = output_.documents.size() == 1 && output_.fault.empty();
      const char* when = done ? " after it had printed its results" : "";
      return failed(process::describe_end(ended_) + when + hint);
    }
    if (output_.documents.size() != 1 || !output_.fault.empty()) return no_document();
    const json document = json::parse(output_.documents.front(), nullptr, false);
    if (document.is_discarded()) return failed("printed broken JSON");
    try {
      return weigh(document);
    } catch (const std::exception& e) {
      return failed(fmt::format("cannot be understood: {}", e.what()));
    }
  }

 private:
  Error failed(std::string_view what, int code = 0) const {
    return process::fio_failure(what, said_, code);
  }

  Error no_document() const {
    if (ended_.cancelled) {
      return {ErrorCode::cancelled, "fio was stopped before it had reported anything", 0};
    }
    if (!output_.fault.empty()) return failed("printed JSON that " + output_.fault);
    if (output_.documents.size() > 1) {
      return failed(fmt::format("printed {} JSON documents, not one", output_.documents.size()));
    }
    return failed(process::describe_end(ended_) + " without a result");
  }

  Outcome<LoopResult> weigh(const json& document) const {
    const json& entries = document.at("jobs");
    std::size_t index = 0;
    for (const auto& entry : entries) {
      ++index;
      if (const std::uint64_t code = ReportReader::count(entry, "error"); code != 0) {
        return failed(fmt::format("reports that job {} of {} failed", index, asked_.entries),
                      static_cast<int>(std::min<std::uint64_t>(code, INT32_MAX)));
      }
    }
    if (entries.size() != asked_.entries) {
      return failed(fmt::format("reports {} jobs of {}", entries.size(), asked_.entries));
    }
    if (!ended_.cancelled) {
      if (!ended_.succeeded()) return failed(process::describe_end(ended_));
      if (auto done = complete(entries); !done) return done.error();
      if (!process::fio_complaints(said_).empty()) return failed("reports an error");
    }
    LoopResult loop = ReportReader(asked_, document).read();
    if ((loop.read ? loop.read->ios : 0) + (loop.write ? loop.write->ios : 0) == 0) {
      return Error{ErrorCode::cancelled, "fio was stopped before it had measured anything", 0};
    }
    return loop;
  }

  /// Every job moved bytes in the direction asked for, and ran its time or did its share. Chance
  /// may leave a short mixed job without one of its directions.
  Outcome<Done> complete(const json& entries) const {
    const Workload& w = asked_.job.workload;
    const std::uint64_t share = limit_in_ios(w) * w.block_size / asked_.entries;
    std::size_t index = 0;
    for (const auto& entry : entries) {
      ++index;
      std::uint64_t bytes = 0;
      std::uint64_t ran_ns = 0;
      for (const char* direction : {"read", "write"}) {
        if (w.op != Op::mixed && to_text(w.op) != direction) continue;
        const json& facts = entry.at(direction);
        bytes += ReportReader::count(facts, "io_bytes");
        ran_ns = std::max(ran_ns, ReportReader::milliseconds(facts) * kMillisecond);
      }
      if (bytes == 0) {
        const std::string_view what = w.op == Op::mixed ? "I/O" : to_text(w.op);
        return failed(fmt::format("reports no {} by job {} of {}", what, index, asked_.entries));
      }
      if (w.runtime_ns > 0 && ran_ns >= w.runtime_ns / 10 * 9) continue;
      if (share > 0 && bytes >= share) continue;
      return failed(fmt::format("stopped early: job {} of {} ran {} and moved {}", index,
                                asked_.entries, human_duration(ran_ns), human_size(bytes)));
    }
    return Done{};
  }

  const Asked& asked_;
  const process::Ended& ended_;
  process::FioOutput output_;
  std::string said_;
};

/// Any fio program from 2.99 on, which brought nanoseconds.
class FioExec final : public BackendPlugin {
  BackendInfo describe() const override {
    return {.engines = {"io_uring", "libaio", "psync", "posixaio"}, .native = false};
  }

  Outcome<Capability> try_engine(const ProbeRequest& request) override {
    const Workload& w = request.job.workload;
    if (auto why = process::fio_objection(w, request.engine); !why.empty()) return refusal(why);
    if (request.engine == "libaio" && !request.direct && w.queue_depth > 1 && !request.named) {
      return refusal("libaio submits buffered I/O synchronously: the depth would not be real");
    }
    auto fio = process::find_fio();
    if (!fio) return fio.error();
    if (auto tried = one_io(*fio, request); !tried) return tried.error();
    return process::fio_capability(*fio, w, request.engine);
  }

  /// One I/O of the job's kind on the real file.
  static Outcome<Done> one_io(const process::FioProgram& fio, const ProbeRequest& request) {
    const Job job = process::one_io_of(request.job, request.engine, process::file_size(request.fd));
    if (job.workload.block_size == 0) return refusal("the test file is too small for one I/O");
    const process::ScratchDirectory scratch;
    process::Command command;
    command.executable = fio.path;
    command.scratch = scratch.path();
    command.deadline_ns = kProbeDeadline;
    command.arguments = process::fio_arguments(
        job, {.filename = request.path, .engine = request.engine, .direct = request.direct});
    command.arguments.emplace_back("--output-format=json+");
    auto ended = process::run(command);
    if (!ended) return ended.error();
    const Asked asked{.job = job};
    auto loop = Judge(asked, *ended, ended->output).verdict();
    if (loop) return Done{};
    Error why = loop.error();
    why.code = ErrorCode::unavailable;
    if (fio.confined) why.message += "; this fio is confined and may not see the target";
    return why;
  }

  Outcome<LoopResult> execute(const Job& job, RunContext& context) override {
    context.phase(Phase::prepare);
    const std::string& engine = context.resolution().engine;
    // The probe may have been of another job with the same I/O.
    if (auto why = process::fio_objection(job.workload, engine); !why.empty()) return refusal(why);
    if (process::file_size(context.fd()) < job.workload.size) {
      // fio would try to lay the file out anew, and to unlink it first.
      return Error{ErrorCode::refused, "the test file is shorter than the job's size", 0};
    }
    auto fio = process::find_program("fio");
    if (!fio) return fio.error();
    auto scratch = process::scratch_of(context);
    if (!scratch) return scratch.error();
    Asked asked{.job = job, .jobs = process::fio_jobs(job.workload, engine)};
    asked.entries = asked.jobs > kMostEntries ? 1 : asked.jobs;
    const std::string report = *scratch + "/out.json";
    process::Command command;
    command.executable = *fio;
    command.scratch = *scratch;
    command.deadline_ns = process::fio_deadline(job.workload);
    command.arguments = process::fio_arguments(
        job, {.filename = std::string(context.path()),
              .engine = engine,
              .direct = (::fcntl(context.fd(), F_GETFL) & O_DIRECT) != 0,
              .flush = !context.resolution().direct_effective.value_or(false),
              .group = asked.entries != asked.jobs});
    command.arguments.insert(command.arguments.end(),
                             {"--output=" + report, "--output-format=json+,normal", "--eta=always",
                              "--eta-newline=1"});  // JSON in the file, rates on standard output
    process::FioProgress progress(job.workload, context, process::monotonic_ns());
    command.on_line = [&](std::string_view line) { progress.line(line, process::monotonic_ns()); };
    command.cancelled = [&] { return progress.tick(process::monotonic_ns()); };
    command.stop_signal = SIGINT;  // on which fio reports what it has
    auto ended = process::run(command);
    if (!ended) return ended.error();
    context.phase(Phase::close);
    const std::string text = process::read_file(report, kMostOutput);
    Judge judge(asked, *ended, text);
    context.raw(judge.said());
    return judge.verdict();
  }
};

}  // namespace

STHD_BACKEND_PLUGIN(FioExec, "fio-exec", "the fio program: io_uring, libaio, psync, posixaio")
